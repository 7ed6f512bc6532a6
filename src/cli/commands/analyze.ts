/** `oakum analyze`: what leaks, how fast, who owns it, whether it is known and what to do. */
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { subjectOf } from '../../judge/explain/explain-pile.ts';
import { isOfProcess } from '../../evidence/snapshots/snapshot.ts';
import { readPile, type Pile } from '../../evidence/snapshots/read-pile.ts';
import { oneLine } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import { renderAnalysis } from '../../report/render.ts';
import { findFamily } from '../../report/analysis-document.ts';
import { type Io, isUtf8, styleFor } from '../io.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import { exitCodeFor, CATALOGUE, COLOR, FAIL_ON, OPERATIONS, outputFormat } from '../options/shared.ts';
import { type ProfilerRequest, withPastProfiles } from '../connect/past-profiles.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { readPaths } from '../connect/read-source.ts';
import type { ReferenceTable } from '../../judge/growth/growth.ts';
import { parseVersion } from '../../knowledge/version.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { custom, name, text, texts, wholeNumber } from '../options/kinds.ts';
import { profilerOptions, profilerRequest, profilesSince } from '../options/sources.ts';
import { SNAPSHOTS } from '../../live/past-profiles.ts';
import { someOf } from '../options/option.ts';

const line = commandLine({
  name: 'analyze',
  usage: ['PATH... [options]', '--pyroscope URL | --parca URL [PATH...] [options]'],
  examples: [
    ['oakum analyze heap-1.pb.gz heap-2.pb.gz goroutines.txt metrics.prom'],
    ['oakum analyze ./worker-17/', 'a folder, or a .tar.gz, in any order'],
    ['oakum analyze before/ after/ --operations 50', 'growth per operation'],
    ['oakum analyze worker-17/ --show g-1a2b', "one family's full stack"],
    [`oakum analyze --pyroscope http://pyroscope:4040 --profiles 'service_name="kcp"' --since 24h`],
    ['curl -s localhost:6060/debug/pprof/goroutine | oakum analyze -'],
  ],
  about:
    'Reads profiles, goroutine dumps, heap text, metrics, logs and kubectl JSON. Works out what each file is, which process it is from and when it was taken, and compares what belongs together; never across a restart or between builds.',
  operands: { completes: 'files' },
  options: {
    output: outputFormat(['text', 'wide', 'json', 'yaml', 'markdown']),
    top: wholeNumber(1)({ help: 'findings to print', defaultNote: '5' }),
    show: text({ placeholder: 'FAMILY', help: 'the full stack of one family, by its id or the beginning of it' }),
    operations: OPERATIONS,
    reference: texts({
      placeholder: 'PATH',
      completes: 'files',
      help: 'snapshots of a healthy peer: what it has too is not suspect',
    }),
    version: custom('VERSION', 'a version such as v1.36.1', given =>
      parseVersion(given) === undefined ? undefined : given,
    )({ help: 'version of the target, if the files do not show it' }),
    component: name({ help: 'kubelet, kube-apiserver, kcp ..., if the files do not show it' }),
    catalogue: CATALOGUE,
    failOn: FAIL_ON,
    color: COLOR,
    ...profilerOptions('which processes: labels such as service_name="kcp", pod="kcp-0"'),
    since: profilesSince(SNAPSHOTS),
  },
  request: (values, operands) => {
    const profiler = profilerRequest(values);
    return { ...values, profiler, paths: profiler === undefined ? someOf(operands, 'no files given') : operands };
  },
});

export const command: Command = defineCommand(line, analyze);

type Request = RequestOf<typeof line>;

async function analyze(request: Request, io: Io): Promise<number> {
  const catalogue = await catalogueOf(request.catalogue, io);
  const pile = await read(request.paths, request, io, request.profiler);
  const references = await readReferences(request, io);
  const analysis = analyzePile(pile, {
    catalogue,
    given: { version: request.version, component: request.component },
    operations: request.operations,
    references,
  });
  reportUnread(pile, io);
  if (request.show !== undefined && findFamily(analysis, request.show) === undefined) {
    const ids = [...new Set(analysis.findings.map(({ family }) => family.id))].filter(id => id !== '');
    const known = ids.length === 0 ? 'there are no findings' : `the families are ${ids.join(', ')}`;
    throw new Failure('usage', `--show ${oneLine(request.show)} is not one family: ${known}`);
  }
  const width = io.stdout.columns;
  io.stdout.write(
    await renderAnalysis(analysis, request.output, {
      style: styleFor(request.color, io),
      ascii: !isUtf8(io.env),
      ...(width === undefined ? {} : { width }),
      ...(request.top === undefined ? {} : { top: request.top }),
      ...(request.show === undefined ? {} : { show: request.show }),
    }),
  );
  if (!pile.snapshots.some(isOfProcess) && analysis.shown.length === 0) return EXIT.couldNotObserve;
  return exitCodeFor(analysis.verdict, request.failOn);
}

async function read(paths: readonly string[], request: Request, io: Io, profiler?: ProfilerRequest): Promise<Pile> {
  const files = readPaths(paths, io);
  return readPile(profiler === undefined ? files : withPastProfiles(files, profiler, io), {
    families: familiesOf,
    subject: subjectOf,
    keepStacks: false,
    ...(request.version === undefined ? {} : { version: request.version }),
  });
}

function reportUnread(pile: Pile, io: Io): void {
  for (const { path, message } of pile.unread) io.stderr.write(`oakum: ${visible(path)}: ${visible(message)}\n`);
}

/** Throws if --reference is given but has no profile. */
async function readReferences(request: Request, io: Io): Promise<ReferenceTable[]> {
  if (request.reference.length === 0) return [];
  const pile = await read(request.reference, request, io);
  reportUnread(pile, io);
  const tables = referenceTables(pile);
  if (tables.length > 0) return tables;
  throw new Failure('no-evidence', `--reference ${request.reference.join(' ')}: no goroutine or heap profile there`);
}

/** The newest table of each kind and process. */
function referenceTables({ viewGroups }: Pile): ReferenceTable[] {
  const newest = new Map<string, ReferenceTable>();
  for (const { kind, processKey, counted } of viewGroups) {
    if (counted.families !== undefined) newest.set(`${processKey}\0${kind}`, { table: counted.families });
  }
  return [...newest.values()];
}
