/**
 * Kills a process that writes to a store with SIGKILL at random times, opens the store, and checks that everything
 * reported as committed is there.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type WatchStore, StoreError } from '../../src/store/ports.ts';
import { TYPESCRIPT } from '../places.ts';
import { openKilledStore } from './killed-store.ts';
import { contentOf, LIMITS, type StoreName, TARGETS, timeOf } from './kill-store-content.ts';

const WRITER = fileURLToPath(new URL('kill-store-writer.ts', import.meta.url));
/** A writer is killed shortly after it has printed this many lines. */
const MAX_LINES = 30;
const LONGEST_MOMENT_MS = 30;

export interface KillOptions {
  readonly kills: number;
  /** Empty; the caller removes it. */
  readonly folder: string;
  /** For stores in a database: its address, and the files that it lists as loose. */
  readonly database?: KilledDatabase;
  readonly log: (line: string) => void;
}

export interface KilledDatabase {
  urlOf(name: StoreName): string;
  looseIn(name: StoreName): Promise<ReadonlySet<string>>;
}

export interface KillResult {
  readonly batches: number;
  readonly captures: number;
  /** Problems, one sentence each. */
  readonly problems: readonly string[];
}

/** What a store's writers have reported so far. */
interface Said {
  readonly batches: Set<number>;
  readonly captures: Set<number>;
}

export async function killStores({ kills, folder, database, log }: KillOptions): Promise<KillResult> {
  const problems: string[] = [];
  const said: Readonly<Record<StoreName, Said>> = { roomy: nothing(), tight: nothing() };
  for (let kill = 0; kill < kills; kill++) {
    const name: StoreName = kill % 3 === 2 ? 'tight' : 'roomy';
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    const before = { ...count(said[name]) };
    const killed = { path, name, database };
    problems.push(...(await writeUntilKilled(killed, said[name], kill)));
    problems.push(...(await lookInto(killed, said[name])).map(problem => `kill ${kill + 1}, ${name}: ${problem}`));
    const after = count(said[name]);
    log(
      `kill ${kill + 1} of ${kills}, ${name}: ${after.batches - before.batches} batches and ` +
        `${after.captures - before.captures} captures more, ${problems.length} problems`,
    );
  }
  const totals = [count(said.roomy), count(said.tight)];
  return {
    batches: totals[0].batches + totals[1].batches,
    captures: totals[0].captures + totals[1].captures,
    problems,
  };
}

function nothing(): Said {
  return { batches: new Set(), captures: new Set() };
}

function count({ batches, captures }: Said): { batches: number; captures: number } {
  return { batches: batches.size, captures: captures.size };
}

interface Killed {
  readonly path: string;
  readonly name: StoreName;
  readonly database: KilledDatabase | undefined;
}

async function writeUntilKilled({ path, name, database }: Killed, said: Said, kill: number): Promise<string[]> {
  const problems: string[] = [];
  const from = Math.max(-1, ...said.batches) + 2;
  const writer = spawn(
    process.execPath,
    [
      '--import',
      TYPESCRIPT,
      WRITER,
      path,
      name,
      String(from),
      ...(database === undefined ? [] : [database.urlOf(name)]),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const complaint: Buffer[] = [];
  writer.stderr.on('data', (data: Buffer) => complaint.push(data));
  const ended = new Promise<void>(resolve => writer.once('close', () => resolve()));
  let linesLeft = 1 + Math.floor(Math.random() * MAX_LINES);
  for await (const line of createInterface(writer.stdout)) {
    const [what, number] = line.split(' ');
    if (what === 'batch') said.batches.add(Number(number));
    if (what === 'capture') said.captures.add(Number(number));
    if (what === 'ready' && kill % 10 === 0) problems.push(...(await tryToShare(path, database?.urlOf(name), writer)));
    if (linesLeft-- === 0) setTimeout(() => writer.kill('SIGKILL'), Math.random() * LONGEST_MOMENT_MS);
  }
  await ended;
  if (writer.signalCode !== 'SIGKILL')
    problems.push(`the writer ended by itself: ${Buffer.concat(complaint).toString().slice(-500)}`);
  return problems;
}

async function tryToShare(path: string, database: string | undefined, writer: ChildProcess): Promise<string[]> {
  try {
    await (await openKilledStore(path, database)).close();
    return ['a second process was let in'];
  } catch (error) {
    const isRefusal = error instanceof StoreError && error.message.includes(`in use by process ${writer.pid};`);
    return isRefusal ? [] : [`a second process was refused with: ${(error as Error).message}`];
  }
}

async function lookInto({ path, name, database }: Killed, said: Said): Promise<string[]> {
  let store: WatchStore;
  try {
    store = await openKilledStore(path, database?.urlOf(name), LIMITS[name]);
  } catch (error) {
    return [`it does not open: ${(error as Error).message}`];
  }
  try {
    const problems = name === 'roomy' ? await findLost(store, said) : await findNewest(store, said);
    problems.push(...(await findUnreadable(store, path, (await database?.looseIn(name)) ?? new Set())));
    return problems;
  } finally {
    await store.close();
  }
}

async function findLost(store: WatchStore, said: Said): Promise<string[]> {
  const problems: string[] = [];
  const first = await batchesOf(store, TARGETS[0]);
  for (const batch of said.batches) if (!first.has(batch)) problems.push(`batch ${batch} is lost`);
  for (const target of TARGETS.slice(1)) {
    const own = await batchesOf(store, target);
    // A batch that was being committed is complete or absent.
    if (own.size !== first.size || [...own].some(batch => !first.has(batch)))
      problems.push(`${target} has other batches than ${TARGETS[0]}`);
  }
  const events = await store.records({ kind: 'event', target: TARGETS[0], since: 0 });
  if (events.length !== first.size) problems.push(`${events.length} events of ${first.size} batches`);
  for (const capture of said.captures)
    if ((await store.records({ kind: 'capture', id: String(capture) }))[0] === undefined)
      problems.push(`capture ${capture} is lost`);
  return problems;
}

async function batchesOf(store: WatchStore, target: string): Promise<Set<number>> {
  const [series] = await store.query({ target, metrics: ['x'], from: 0, to: 1e12, maxPoints: Infinity });
  const batches = new Set<number>();
  series?.times.forEach((at, i) => {
    if (timeOf(series.values[i]) !== at) throw new Error(`${target} has ${series.values[i]} at ${at}`);
    batches.add(series.values[i]);
  });
  return batches;
}

async function findNewest(store: WatchStore, said: Said): Promise<string[]> {
  const problems: string[] = [];
  const batch = Math.max(...said.batches);
  for (const target of TARGETS) {
    const at = (await store.latest(target))?.at ?? 0;
    if (said.batches.size > 0 && at < timeOf(batch)) problems.push(`${target} ends at ${at}, before batch ${batch}`);
  }
  const capture = Math.max(...said.captures);
  if (said.captures.size > 0 && (await store.records({ kind: 'capture', id: String(capture) }))[0] === undefined)
    problems.push(`capture ${capture}, the newest, is lost`);
  return problems;
}

async function findUnreadable(store: WatchStore, path: string, loose: ReadonlySet<string>): Promise<string[]> {
  const problems: string[] = [];
  const named = new Set<string>();
  for (const { id, files } of await store.records({ kind: 'capture' })) {
    for (const { sha256 } of files) named.add(sha256);
    const content = await store.readProfile(files[0].sha256).catch(() => undefined);
    if (content === undefined || !Buffer.from(content).equals(contentOf(Number(id))))
      problems.push(`the file of capture ${id} is not what was written`);
  }
  const onDisk = readdirSync(join(path, 'blobs'), { recursive: true, withFileTypes: true });
  // A database that others share may still wait for whoever was writing: it knows the file.
  const files = onDisk.filter(entry => entry.isFile()).map(entry => basename(entry.parentPath) + entry.name);
  const strays = files.filter(sha256 => !named.has(sha256) && !loose.has(sha256));
  const missing = [...named].filter(sha256 => !files.includes(sha256));
  if (strays.length + missing.length > 0)
    problems.push(`${strays.length} files that nothing names, ${missing.length} that are named and not there`);
  return problems;
}
