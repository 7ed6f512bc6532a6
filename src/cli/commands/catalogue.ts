/** `oakum catalogue`: the known leaks, one of them, or a check of one's own entries. */
import { stringify } from 'yaml';
import { lintCatalogue } from '../../catalogue/lint.ts';
import { renderLeak, renderMarkdown, renderTable } from '../../report/catalogue-text.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { loadCatalogue, type LoadedCatalogue } from '../connect/load-catalogue.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum catalogue list | show ID | lint [options]

  oakum catalogue list
  oakum catalogue show kubelet-startpodsync-context
  oakum catalogue show kubernetes#139823
  oakum catalogue lint --catalogue ./our-leaks

list prints the known leaks, show prints one (by id or reference), lint checks every entry: signatures are tried on
stacks made from them and on near misses, versions and references are checked.

      --catalogue DIR   add the entries in DIR/*.yaml; one with the id of a bundled entry replaces it
  -o, --output FORMAT   text, json or yaml; for list also markdown
`;

const ACTIONS = ['list', 'show', 'lint'] as const;
const FORMATS = ['text', 'json', 'yaml', 'markdown'] as const;

interface Request {
  readonly action: (typeof ACTIONS)[number];
  /** For show. */
  readonly id: string;
  readonly format: (typeof FORMATS)[number];
  readonly folder: string | undefined;
}

const OPTIONS = {
  output: { type: 'string', short: 'o', default: 'text' },
  catalogue: { type: 'string' },
} as const;

export async function runCatalogue(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'catalogue', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => answer(request, io), programName);
}

async function answer(request: Request, io: Io): Promise<number> {
  let loaded: LoadedCatalogue;
  try {
    loaded = await loadCatalogue(request.folder, io);
  } catch (error) {
    return reportFailure(error, io);
  }
  const { leaks, problems } = loaded;
  if (request.action === 'lint') return lint(leaks, problems, request, io);
  for (const problem of problems) io.stderr.write(`oakum: ${problem}\n`);
  if (problems.length > 0) return EXIT.couldNotObserve;
  if (request.action === 'list') {
    io.stdout.write(list(leaks, request.format));
    return EXIT.done;
  }
  const wanted = request.id.toLowerCase();
  const leak = leaks.find(one => one.id === wanted) ?? leaks.find(one => one.refs.includes(wanted));
  if (leak === undefined)
    return fail(io, EXIT.usage, `no known leak ${JSON.stringify(request.id)}; oakum catalogue list`);
  io.stdout.write(request.format === 'text' ? renderLeak(leak) : data(leak, request.format));
  return EXIT.done;
}

function list(leaks: readonly KnownLeak[], format: Request['format']): string {
  if (format === 'text') return renderTable(leaks);
  return format === 'markdown' ? renderMarkdown(leaks) : data(leaks, format);
}

function lint(leaks: readonly KnownLeak[], unreadable: readonly string[], request: Request, io: Io): number {
  const problems = [
    ...unreadable,
    ...lintCatalogue(leaks).map(({ id, field, problem }) => `${id}: ${field}: ${problem}`),
  ];
  const signatures = leaks.reduce((sum, leak) => sum + leak.signatures.length, 0);
  if (request.format === 'text') {
    for (const problem of problems) io.stdout.write(`${problem}\n`);
    io.stdout.write(`${leaks.length} known leaks, ${signatures} signatures, ${problems.length} problems\n`);
  } else {
    io.stdout.write(data({ leaks: leaks.length, signatures, problems }, request.format));
  }
  return problems.length === 0 ? EXIT.done : EXIT.couldNotObserve;
}

function data(value: unknown, format: Request['format']): string {
  return format === 'yaml' ? stringify(value) : `${JSON.stringify(value, null, 2)}\n`;
}

/** The request, or what is wrong with the arguments. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  const [verb = '', id = '', ...more] = positionals;
  const action = ACTIONS.find(one => one === verb);
  if (action === undefined) return verb === '' ? 'catalogue needs list, show or lint' : `there is no catalogue ${verb}`;
  if (action === 'show' ? id === '' || more.length > 0 : id !== '') {
    return action === 'show' ? 'show takes one ID' : `${action} takes no argument, got ${JSON.stringify(id)}`;
  }
  const format = FORMATS.find(one => one === values.output);
  if (format === undefined || (format === 'markdown' && action !== 'list')) {
    const known = action === 'list' ? 'text, json, yaml or markdown' : 'text, json or yaml';
    return `-o is ${known}, not ${JSON.stringify(values.output)}`;
  }
  return { action, id, format, folder: values.catalogue };
}
