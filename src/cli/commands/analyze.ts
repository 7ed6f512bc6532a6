/** `oakum analyze`: what leaks, how fast, who owns it, whether it is known and what to do, from any pile of files. */
import type { Verdict } from '../../model/verdict.ts';
import { familiesOf } from '../../analysis/families/families-of.ts';
import { analyzePile } from '../../diagnosis/process/analyze-pile.ts';
import { isOfProcess } from '../../evidence/snapshots/process-evidence.ts';
import { readPile, type Pile } from '../../evidence/snapshots/read-pile.ts';
import type { ReferenceTable } from '../../analysis/growth/reference.ts';
import { oneLine } from '../../base/text-layout.ts';
import { parseVersion } from '../../catalogue/version.ts';
import { ANALYSIS_FORMATS, renderAnalysis, type AnalysisFormat } from '../../report/render.ts';
import { findFamily } from '../../report/text.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { loadCatalogue } from '../connect/load-catalogue.ts';
import { readPaths } from '../connect/read-paths.ts';
import { styleFor } from '../terminal/style.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum analyze PATH... [options]

  oakum analyze heap-1.pb.gz heap-2.pb.gz goroutines.txt metrics.prom
  oakum analyze ./worker-17/                      a folder, or a .tar.gz, in any order
  oakum analyze before/ after/ --operations 50    growth per operation
  oakum analyze worker-17/ --show g-1a2b          one family's full stack
  curl -s localhost:6060/debug/pprof/goroutine | oakum analyze -

Reads profiles, goroutine dumps, heap text, metrics, logs and kubectl JSON; finds out what each is, of which process and
when; compares what belongs together; never across a restart or between builds.

  -o, --output FORMAT    text, wide, json, yaml or markdown
      --top N            findings to print (5)
      --show FAMILY      the full stack of one family, by id or its beginning
      --operations N     operations between the first snapshot and the last
      --reference PATH   snapshots of a healthy peer: what it has too is no suspect (may be repeated)
      --version VERSION  version of the target, where the files do not tell
      --component NAME   kubelet, kube-apiserver, kcp ..., where the files do not tell
      --catalogue DIR    known leaks of your own, besides the bundled ones
      --fail-on VERDICT  leak or watch: exit 1 when the verdict is that or worse
      --color WHEN       auto, always or never
`;

interface Request {
  readonly paths: readonly string[];
  readonly format: AnalysisFormat;
  readonly top: number | undefined;
  readonly show: string | undefined;
  readonly operations: number | undefined;
  readonly references: readonly string[];
  readonly version: string | undefined;
  readonly component: string | undefined;
  readonly catalogue: string | undefined;
  readonly failOn: Verdict | undefined;
  readonly color: string;
}

const OPTIONS = {
  output: { type: 'string', short: 'o', default: 'text' },
  top: { type: 'string' },
  show: { type: 'string' },
  operations: { type: 'string' },
  reference: { type: 'string', multiple: true },
  version: { type: 'string' },
  component: { type: 'string' },
  catalogue: { type: 'string' },
  'fail-on': { type: 'string' },
  color: { type: 'string', default: 'auto' },
} as const;

export async function runAnalyze(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'analyze', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => analyze(request, io), programName);
}

async function analyze(request: Request, io: Io): Promise<number> {
  try {
    const { leaks, problems } = await loadCatalogue(request.catalogue, io);
    for (const problem of problems) io.stderr.write(`oakum: ${problem}\n`);
    if (problems.length > 0) return EXIT.couldNotObserve;
    const pile = await read(request.paths, request, io);
    const references = await readReferences(request, io);
    if (references === undefined) return EXIT.couldNotObserve;
    const analysis = analyzePile(pile, {
      catalogue: leaks,
      given: { version: request.version, component: request.component },
      operations: request.operations,
      references,
    });
    reportUnread(pile, io);
    if (request.show !== undefined && findFamily(analysis, request.show) === undefined) {
      const ids = [...new Set(analysis.findings.map(({ family }) => family.id))].filter(id => id !== '');
      const known = ids.length === 0 ? 'there are no findings' : `there are ${ids.join(', ')}`;
      return fail(io, EXIT.usage, `no one family ${oneLine(request.show)}: ${known}`);
    }
    const width = io.stdout.columns;
    io.stdout.write(
      await renderAnalysis(analysis, request.format, {
        style: styleFor(request.color, io),
        ...(width === undefined ? {} : { width }),
        ...(request.top === undefined ? {} : { top: request.top }),
        ...(request.show === undefined ? {} : { show: request.show }),
      }),
    );
    if (!pile.snapshots.some(isOfProcess)) return EXIT.couldNotObserve;
    return isAtLeast(analysis.verdict, request.failOn) ? EXIT.leakFound : EXIT.done;
  } catch (error) {
    return reportFailure(error, io);
  }
}

function isAtLeast(verdict: Verdict, asked: Verdict | undefined): boolean {
  if (asked === undefined) return false;
  return verdict === 'leak' || (verdict === 'watch' && asked === 'watch');
}

async function read(paths: readonly string[], request: Request, io: Io): Promise<Pile> {
  return readPile(readPaths(paths, io), {
    families: familiesOf,
    keepStacks: false,
    ...(request.version === undefined ? {} : { version: request.version }),
  });
}

function reportUnread(pile: Pile, io: Io): void {
  for (const { path, message } of pile.unread) io.stderr.write(`oakum: ${path}: ${message}\n`);
}

/** Undefined, with a line on stderr, when there is nothing to compare with where something was named. */
async function readReferences(request: Request, io: Io): Promise<ReferenceTable[] | undefined> {
  if (request.references.length === 0) return [];
  const pile = await read(request.references, request, io);
  reportUnread(pile, io);
  const tables = referenceTables(pile);
  if (tables.length > 0) return tables;
  fail(io, EXIT.couldNotObserve, `--reference ${request.references.join(' ')}: no goroutine or heap profile there`);
  return undefined;
}

/** The newest table of each kind and process. */
function referenceTables({ viewGroups }: Pile): ReferenceTable[] {
  const newest = new Map<string, ReferenceTable>();
  for (const { kind, processKey, counted } of viewGroups) {
    if (counted.families !== undefined) newest.set(`${processKey}\0${kind}`, { table: counted.families });
  }
  return [...newest.values()];
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  if (positionals.length === 0) return 'no files given';
  const format = ANALYSIS_FORMATS.find(known => known === values.output);
  if (format === undefined) return `unknown format ${values.output}: text, wide, json, yaml or markdown`;
  const failOn = values['fail-on'];
  if (failOn !== undefined && failOn !== 'leak' && failOn !== 'watch') return '--fail-on takes leak or watch';
  if (!['auto', 'always', 'never'].includes(values.color)) return '--color takes auto, always or never';
  const { version } = values;
  if (version !== undefined && parseVersion(version) === undefined)
    return `--version ${version} is not a version such as v1.36.1`;
  for (const name of ['top', 'operations'] as const) {
    const text = values[name];
    if (text !== undefined && !/^[1-9][0-9]*$/.test(text)) return `--${name} takes a whole number above 0, not ${text}`;
  }
  return {
    paths: positionals,
    format,
    top: values.top === undefined ? undefined : Number(values.top),
    show: values.show,
    operations: values.operations === undefined ? undefined : Number(values.operations),
    references: values.reference ?? [],
    version,
    component: values.component,
    catalogue: values.catalogue,
    failOn,
    color: values.color,
  };
}
