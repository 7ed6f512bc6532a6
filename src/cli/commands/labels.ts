/** `oakum labels`: goroutines by pprof label, and the tenants that are gone but still have some. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  countLabels,
  type LabelChange,
  labelChanges,
  type LabelCounts,
  labelKeys,
  orphans,
} from '../../analysis/families/label-counts.ts';
import { familiesOfDump } from '../../analysis/families/dump-families.ts';
import { heapByOwner } from '../../analysis/families/heap-owners.ts';
import { familiesOfHeap } from '../../analysis/families/heap-families.ts';
import { liveTenants } from '../../analysis/families/live-tenants.ts';
import { familiesOfGoroutineProfile } from '../../analysis/families/profile-families.ts';
import { FormatError } from '../../base/errors.ts';
import { concatBytes, decodeText } from '../../base/text.ts';
import type { Reading } from '../../formats/read.ts';
import type { FamilyTable } from '../../model/family.ts';
import { EXIT } from '../exit-codes.ts';
import { reportFailure } from '../failure.ts';
import type { Io } from '../io.ts';
import { readSource } from '../read-source.ts';

const USAGE = `Usage: oakum labels FILE... [--by KEY,...] [options]

Counts goroutines by the values of their pprof labels. FILEs are goroutine profiles or dumps in any form; of several,
each has a column, and CHANGE is the last less the first. FILE may be - for stdin.

      --by KEY,...      labels to count by (default controller,logicalcluster)
      --orphans         only labels of tenants that no longer exist; needs --live-from
      --live-from FROM  the tenants that exist: a FILE with one name per line or the lines of kubectl -o name, or a
                        command, recognised by its blanks and run by the shell: 'kubectl get workspaces -o name'
      --tenant KEY      the label that names the tenant (default logicalcluster, or the last of --by)
      --top N           rows to show (default 20; 0 for all)
  -o, --output FORMAT   text or json
`;

const DEFAULT_KEYS = 'controller,logicalcluster';
const NO_LABELS = '  it has no labels at all; of Go up to 1.26 ask for debug=1 or debug=0, debug=2 shows none\n';
const COMMAND_TIMEOUT_MS = 60_000;

interface Request {
  readonly files: readonly string[];
  readonly keys: readonly string[];
  readonly tenant: string;
  readonly orphans: boolean;
  readonly liveFrom: string;
  readonly top: number;
  readonly format: string;
}

interface LabelledFile {
  readonly path: string;
  readonly table: FamilyTable;
  readonly counts: LabelCounts;
}

export async function runLabels(argv: string[], io: Io): Promise<number> {
  const request = parse(argv);
  if (request === 'help') {
    io.stdout.write(USAGE);
    return EXIT.done;
  }
  if (typeof request === 'string') return fail(io, EXIT.usage, `${request}; see oakum labels --help`);

  const files: LabelledFile[] = [];
  for (const path of request.files) {
    try {
      const reading = await readSource(path, io);
      for (const note of reading.notes) io.stderr.write(`oakum: ${path}: ${note}\n`);
      const table = tableOf(reading);
      if (table === undefined) {
        return fail(io, EXIT.couldNotObserve, `${path}: neither a goroutine nor a heap profile`);
      }
      files.push({ path, table, counts: countLabels(table, request.keys) });
    } catch (error) {
      if (!(error instanceof FormatError)) return reportFailure(error, io);
      return fail(io, EXIT.couldNotObserve, `${path}: ${error.describe()}`);
    }
  }
  if (new Set(files.map(({ table }) => table.kind)).size > 1) {
    return fail(io, EXIT.usage, 'goroutine and heap profiles cannot be counted together');
  }
  if (files[0].table.kind === 'heap') return writeHeap(files, request, io);

  let live: ReadonlySet<string> | undefined;
  if (request.liveFrom !== '') {
    const read = await readLive(request.liveFrom, io);
    if (typeof read === 'string') return fail(io, EXIT.couldNotObserve, read);
    live = read;
  }
  return writeGoroutines(files, live, request, io);
}

function tableOf({ dump, profile }: Reading): FamilyTable | undefined {
  const types = profile.sampleTypes.map(({ type }) => type);
  if (dump !== undefined)
    return dump.sections[0]?.name.startsWith('goroutine') === true ? familiesOfDump(dump) : undefined;
  if (types.includes('inuse_space')) return familiesOfHeap(profile);
  return types.some(type => type.startsWith('goroutine')) ? familiesOfGoroutineProfile(profile) : undefined;
}

/** The rows of every file side by side; only those of tenants that are gone when `live` is given. */
function rowsOf(files: readonly LabelledFile[], tenant: string, live?: ReadonlySet<string>): LabelChange[] {
  return labelChanges(files.map(({ counts }) => (live === undefined ? counts.rows : orphans(counts, tenant, live))));
}

function writeGoroutines(
  files: readonly LabelledFile[],
  live: ReadonlySet<string> | undefined,
  request: Request,
  io: Io,
): number {
  const all = rowsOf(files, request.tenant, request.orphans ? live : undefined);
  const rows = request.top > 0 ? all.slice(0, request.top) : all;
  if (request.format === 'json') {
    const document = { ...documentOf(files, rows, live, request), rowsLeftOut: all.length - rows.length };
    io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return EXIT.done;
  }
  writeSummary(files, live, request, io);
  if (rows.length > 0) io.stdout.write(`\n${tableText(tableRows(files.length, rows, live, request))}`);
  if (rows.length < all.length) io.stdout.write(`${all.length - rows.length} more; --top 0 shows all\n`);
  return EXIT.done;
}

function documentOf(
  files: readonly LabelledFile[],
  rows: readonly LabelChange[],
  live: ReadonlySet<string> | undefined,
  request: Request,
): object {
  return {
    schema: 'oakum.labels/v1',
    by: request.keys,
    files: files.map(({ path, counts, table }) => ({
      path,
      goroutines: counts.total,
      labelled: counts.labelled,
      coverage: counts.total === 0 ? 0 : counts.labelled / counts.total,
      keys: Object.fromEntries(labelKeys(table)),
    })),
    orphansOnly: request.orphans,
    tenant: request.tenant,
    liveTenants: live?.size ?? null,
    rows: rows.map(({ values, counts, change, family }) => ({
      labels: Object.fromEntries(request.keys.map((key, i) => [key, values[i]])),
      goroutines: counts,
      change,
      orphan: live === undefined ? null : isOrphan(values, request, live),
      family: { id: family.id, title: family.title },
    })),
  };
}

function writeSummary(
  files: readonly LabelledFile[],
  live: ReadonlySet<string> | undefined,
  { keys, tenant }: Request,
  io: Io,
): void {
  for (const { path, counts, table } of files) {
    const share = counts.total === 0 ? 0 : (100 * counts.labelled) / counts.total;
    io.stdout.write(
      `${visible(path)}: ${counts.labelled} of ${counts.total} goroutines (${share.toFixed(1)}%) carry ${keys.join(' or ')}\n`,
    );
    if (counts.labelled === 0) {
      const others = [...labelKeys(table)].slice(0, 8).map(([key, count]) => `${visible(key)} (${count})`);
      io.stdout.write(others.length > 0 ? `  labels there are: ${others.join(', ')}\n` : NO_LABELS);
    }
  }
  if (live !== undefined) {
    const orphaned = rowsOf(files, tenant, live);
    const last = orphaned.reduce((sum, { counts }) => sum + counts[counts.length - 1], 0);
    const tenants = new Set(orphaned.map(({ values }) => values[keys.indexOf(tenant)]));
    io.stdout.write(
      `${live.size} live tenants; ${tenants.size} that no longer exist are named by ${last} goroutines\n`,
    );
  }
}

function tableRows(
  files: number,
  rows: readonly LabelChange[],
  live: ReadonlySet<string> | undefined,
  request: Request,
): string[][] {
  const several = files > 1;
  const header = [
    ...request.keys.map(key => key.toUpperCase()),
    ...(several ? [...Array.from({ length: files }, (_, i) => `FILE ${i + 1}`), 'CHANGE'] : ['GOROUTINES']),
    ...(live === undefined ? [] : ['TENANT']),
    'MOSTLY IN',
  ];
  const lines = rows.map(({ values, counts, change, family }) => [
    ...values.map(value => (value === '' ? '<none>' : visible(value))),
    ...counts.map(String),
    ...(several ? [change > 0 ? `+${change}` : String(change)] : []),
    ...(live === undefined ? [] : [isOrphan(values, request, live) ? 'gone' : 'live']),
    visible(family.title),
  ]);
  return [header, ...lines];
}

/** Go's heap profiles carry no pprof labels, whatever labels the goroutines had: only the path tells. */
function writeHeap(files: readonly LabelledFile[], request: Request, io: Io): number {
  if (request.orphans) {
    return fail(io, EXIT.couldNotObserve, 'Go heap profiles carry no pprof labels: tenants cannot be told from them');
  }
  const owners = files.map(({ path, table }) => {
    const rows = heapByOwner(table);
    return { path, bytes: table.total, rows: request.top > 0 ? rows.slice(0, request.top) : rows };
  });
  const note =
    'Go heap profiles carry no pprof labels (only the object size); owners are inferred from allocation paths';
  if (request.format === 'json') {
    const document = { schema: 'oakum.labels/v1', by: [], inferred: true, note, files: owners };
    io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return EXIT.done;
  }
  io.stdout.write(`${note}\n`);
  for (const { path, rows } of owners) {
    const lines = rows.map(({ owner, bytes, objects, samples }) => [
      visible(owner),
      (bytes / 2 ** 20).toFixed(1),
      String(objects),
      String(samples),
    ]);
    io.stdout.write(`\n${visible(path)}\n${tableText([['OWNER (INFERRED)', 'MIB', 'OBJECTS', 'SAMPLES'], ...lines])}`);
  }
  return EXIT.done;
}

function isOrphan(values: readonly string[], request: Request, live: ReadonlySet<string>): boolean {
  const tenant = values[request.keys.indexOf(request.tenant)];
  return tenant !== '' && !live.has(tenant);
}

/** The tenants that exist, or why they could not be read. */
async function readLive(from: string, io: Io): Promise<ReadonlySet<string> | string> {
  let text: string;
  try {
    text = from === '-' ? await readStdin(io) : decodeText(await readFile(resolve(io.cwd, from)));
  } catch (error) {
    if (!/\s/.test(from)) return `--live-from ${from}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
    io.stderr.write(`oakum: running ${from}\n`);
    const ran = await runShell(from, io);
    if (ran.error !== undefined) return `--live-from: ${ran.error}`;
    text = ran.output;
  }
  const names = liveTenants(text);
  // Nothing alive makes everything an orphan: far more likely a wrong context than the truth.
  return names.size === 0 ? `--live-from ${from}: names no tenant` : names;
}

async function readStdin(io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin) chunks.push(chunk);
  return decodeText(concatBytes(chunks));
}

function runShell(command: string, io: Io): Promise<{ output: string; error?: string }> {
  const options = { cwd: io.cwd, env: { ...io.env }, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 64 * 2 ** 20 };
  return new Promise(done => {
    execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) => {
      if (error === null) return done({ output: stdout });
      const [last] = stderr.trim().split('\n').slice(-1);
      done({ output: '', error: `${command}: ${visible(last !== '' ? last : error.message)}` });
    });
  });
}

/** The request, 'help', or what is wrong with the arguments. */
function parse(argv: string[]): Request | string {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        by: { type: 'string', default: DEFAULT_KEYS },
        orphans: { type: 'boolean', default: false },
        'live-from': { type: 'string', default: '' },
        tenant: { type: 'string', default: '' },
        top: { type: 'string', default: '20' },
        output: { type: 'string', short: 'o', default: 'text' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return (error as Error).message.split(/\.? To specify a positional|\n/, 1)[0];
  }
  const { values, positionals } = parsed;
  if (values.help) return 'help';
  if (positionals.length === 0) return 'labels needs a FILE';
  const keys = values.by.split(',').filter(key => key !== '');
  if (keys.length === 0) return '--by needs at least one label';
  if (!/^\d+$/.test(values.top)) return `--top is a number, not ${JSON.stringify(values.top)}`;
  if (!['text', 'json'].includes(values.output)) return `-o is text or json, not ${JSON.stringify(values.output)}`;
  if (values.orphans && values['live-from'] === '') return '--orphans needs --live-from';
  if (values['live-from'] === '-' && positionals.includes('-')) return 'stdin can only be read once';
  const tenant = values.tenant || (keys.includes('logicalcluster') ? 'logicalcluster' : keys[keys.length - 1]);
  if (!keys.includes(tenant)) return `--tenant ${tenant} is not one of --by`;
  const [liveFrom, format] = [values['live-from'], values.output];
  return { files: positionals, keys, tenant, orphans: values.orphans, liveFrom, top: Number(values.top), format };
}

/** As kubectl prints: columns two blanks apart, the last one as long as it is. */
function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => rows.reduce((most, row) => Math.max(most, [...row[column]].length), 0));
  return rows
    .map(
      row =>
        row
          .map((cell, i) => cell + ' '.repeat(widths[i] - [...cell].length))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('');
}

/** Labels come from the program observed: a control character must not reach the terminal. */
function visible(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, char => {
    const known = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[char];
    return known ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function fail(io: Io, code: number, message: string): number {
  io.stderr.write(`oakum: ${message}\n`);
  return code;
}
