/** `oakum catalogue`: the known leaks, one of them, or a check of one's own entries. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { BUNDLED_LEAKS } from '../../catalogue/bundled.ts';
import { lintCatalogue } from '../../catalogue/lint.ts';
import { mergeCatalogues, readLeak } from '../../catalogue/load.ts';
import { renderLeak, renderMarkdown, renderTable } from '../../catalogue/render.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import { EXIT } from '../exit-codes.ts';
import { reportFailure } from '../failure.ts';
import type { Io } from '../io.ts';

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

export async function runCatalogue(argv: string[], io: Io): Promise<number> {
  const request = parse(argv);
  if (request === 'help') {
    io.stdout.write(USAGE);
    return EXIT.done;
  }
  if (typeof request === 'string') return fail(io, EXIT.usage, `${request}; see oakum catalogue --help`);
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

export interface LoadedCatalogue {
  readonly leaks: readonly KnownLeak[];
  /** What is wrong with files of the folder, a line each; their entries are left out. */
  readonly problems: readonly string[];
}

/** The bundled catalogue with the entries of `folder`, if any; says on stderr which bundled entries they replace. */
export async function loadCatalogue(folder: string | undefined, io: Io): Promise<LoadedCatalogue> {
  if (folder === undefined) return { leaks: BUNDLED_LEAKS, problems: [] };
  const path = resolve(io.cwd, folder);
  const names = (await readdir(path)).filter(name => /\.ya?ml$/.test(name)).sort();
  if (names.length === 0) io.stderr.write(`oakum: ${folder} has no .yaml files\n`);
  const own: KnownLeak[] = [];
  const problems: string[] = [];
  for (const name of names) {
    const reading = readLeak(await readFile(join(path, name), 'utf8'), name);
    problems.push(...reading.problems);
    if (reading.leak !== undefined) own.push(reading.leak);
  }
  const { leaks, overridden } = mergeCatalogues(BUNDLED_LEAKS, own);
  for (const id of overridden) io.stderr.write(`oakum: ${id} of ${folder} replaces the bundled entry\n`);
  return { leaks, problems };
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

/** The request, 'help', or what is wrong with the arguments. */
function parse(argv: string[]): Request | string {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        output: { type: 'string', short: 'o', default: 'text' },
        catalogue: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return (error as Error).message.split(/\.? To specify a positional|\n/, 1)[0];
  }
  const { values, positionals } = parsed;
  if (values.help) return 'help';
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

function fail(io: Io, code: number, message: string): number {
  io.stderr.write(`oakum: ${message}\n`);
  return code;
}
