/** `oakum report`: evidence as a document for maintainers, for a provider or for the team. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestsFor } from '../../adapters/archive/digests.ts';
import { filePile } from '../../adapters/files/pile.ts';
import { encodeText } from '../../base/text.ts';
import { redactedItems } from '../../redaction/redact-pile.ts';
import { gatherFacts, readIssuePile } from '../../diagnosis/issue/gather-facts.ts';
import { privateModules } from '../../redaction/names/code-names.ts';
import { Redactor } from '../../redaction/names/redactor.ts';
import type { ReportAudience } from '../../model/issue-facts.ts';
import { AUDIENCES, renderIssue } from '../../report/issue-render.ts';
import { oneLine } from '../../base/text-layout.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { loadCatalogue } from '../connect/load-catalogue.ts';
import { packageVersion } from '../terminal/package-version.ts';
import { readKeyFile } from '../connect/read-key-file.ts';
import { readLimits } from '../connect/read-source.ts';
import { type Given, runRequest } from '../options/usage.ts';
import { writeWhole } from '../connect/write-whole.ts';

const USAGE = `Usage: oakum report PATH... --for upstream|provider|incident [options]

  oakum report ./worker-17/ --for upstream > issue.md
  oakum report worker-17.tar.gz --for provider
  oakum report ./worker-17/ --for incident -o incident.md

Writes what the evidence proves as Markdown: for upstream in the order of Kubernetes' bug template, with a list of what
is not known and the command for each; for a provider with exactly what only they can take; for the team with the
timeline, what to do now and what not. Names are hashed for upstream and provider, as in a bundle.

      --for AUDIENCE         upstream, provider or incident
  -o, --output FILE          where to write (default: stdout)
      --operations N         operations between the first snapshot and the last
      --catalogue DIR        known leaks of your own, besides the bundled ones
      --key-file FILE        the key of a bundle, to hash names as it does
      --redact-modules GLOB  also hide these Go modules, as in GOPRIVATE (may be repeated)
      --redact               hash names for an incident too
      --no-redact            keep names
`;

interface Request {
  readonly paths: readonly string[];
  readonly audience: ReportAudience;
  readonly output: string | undefined;
  readonly operations: number | undefined;
  readonly catalogue: string | undefined;
  readonly keyFile: string | undefined;
  readonly modules: readonly string[];
  readonly redact: boolean;
}

const OPTIONS = {
  for: { type: 'string' },
  output: { type: 'string', short: 'o' },
  operations: { type: 'string' },
  catalogue: { type: 'string' },
  'key-file': { type: 'string' },
  'redact-modules': { type: 'string', multiple: true },
  redact: { type: 'boolean', default: false },
  'no-redact': { type: 'boolean', default: false },
} as const;

export async function runReport(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'report', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => report(request, io), programName);
}

async function report(request: Request, io: Io): Promise<number> {
  try {
    const { leaks, problems } = await loadCatalogue(request.catalogue, io);
    for (const problem of problems) io.stderr.write(`oakum: ${problem}\n`);
    if (problems.length > 0) return EXIT.couldNotObserve;
    const key = request.keyFile === undefined ? undefined : await readKeyFile(request.keyFile, io.cwd);
    const roots = request.paths.map(path => resolve(io.cwd, path));
    for (const root of roots) await stat(root);
    const items = filePile({ limits: readLimits(io) }).read(roots);
    const isPrivate = privateModules(request.modules);
    const seen = request.redact
      ? redactedItems(items, roots, new Redactor(digestsFor(key).keyedHash, { isPrivate }))
      : items;
    const { redact: redacted, operations } = request;
    const facts = gatherFacts(await readIssuePile(seen), {
      catalogue: leaks,
      operations,
      oakumVersion: packageVersion(),
      redacted,
    });
    if (facts.targets.length === 0) {
      const given = oneLine(request.paths.join(' '));
      const what = `nothing in ${given} is a profile, a goroutine dump or metrics`;
      return fail(io, EXIT.couldNotObserve, `${what}; oakum analyze tells of each file`);
    }
    const text = renderIssue(facts, request.audience);
    if (request.output === undefined) io.stdout.write(text);
    else await writeWhole(request.output, encodeText(text), io.cwd);
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  if (positionals.length === 0) return 'report needs a folder, a bundle or files';
  const audience = AUDIENCES.find(one => one === values.for);
  if (audience === undefined) {
    return values.for === undefined
      ? 'report needs --for upstream, provider or incident'
      : `--for takes upstream, provider or incident, not ${values.for}`;
  }
  const { operations } = values;
  if (operations !== undefined && !/^[1-9][0-9]*$/.test(operations))
    return `--operations takes a whole number above 0, not ${operations}`;
  if (values.redact && values['no-redact']) return '--redact contradicts --no-redact';
  const redact = !values['no-redact'] && (audience !== 'incident' || values.redact);
  return {
    paths: positionals,
    audience,
    output: values.output,
    operations: operations === undefined ? undefined : Number(operations),
    catalogue: values.catalogue,
    keyFile: values['key-file'],
    modules: values['redact-modules'] ?? [],
    redact,
  };
}
