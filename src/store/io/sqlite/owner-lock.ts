/**
 * One process per store. The lock is a file that names its owner; its modification time is the owner's pulse.
 *
 *     same boot and PID namespace      whether the process lives is known at once, also after kill -9
 *     another machine or container     it lives as long as the pulse goes on
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { optionalText, parseJson, recordOf } from '../../../base/json.ts';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { StoreError } from '../../ports.ts';

const PULSE_MS = 5_000;
const WATCH_PULSE_MS = 12_000;

interface Holder extends ProcessIdentity {
  /** Tells this lock from every other. */
  readonly nonce: string;
}

export interface OwnerLock {
  /** False once another process has taken over. */
  readonly isHeld: () => boolean;
  readonly release: () => Promise<void>;
}

export interface OwnerLockOptions {
  /** How long to wait for a pulse where nothing else tells whether the owner lives. */
  readonly watchPulseMs?: number;
  readonly pulseMs?: number;
}

/** `shown` is the store's folder as the user named it. Throws a StoreError of kind `busy`. */
export async function takeOwnerLock(path: string, shown: string, options: OwnerLockOptions = {}): Promise<OwnerLock> {
  const mine: Holder = { ...ownIdentity(), nonce: randomUUID() };
  // The second turn is for a lock that was left behind and has been moved out of the way.
  for (let turn = 0; turn < 2; turn++) {
    if (await create(path, mine)) return hold(path, mine, options.pulseMs ?? PULSE_MS);
    const other = await readHolder(path);
    if (other === undefined || (await isAlive(path, other, options.watchPulseMs ?? WATCH_PULSE_MS))) break;
    if (!(await moveAside(path, other))) break;
  }
  throw busy(await readHolder(path), path, shown);
}

function busy(holder: Holder | undefined, path: string, shown: string): StoreError {
  const where = holder === undefined || holder.host === ownIdentity().host ? '' : ` on ${holder.host}`;
  const who = holder === undefined ? 'another process' : `process ${holder.pid}${where}`;
  return new StoreError(
    'busy',
    `${shown} is in use by ${who}; stop it or choose another folder (if it is gone, delete ${basename(path)} there)`,
  );
}

async function create(path: string, mine: Holder): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    await file.writeFile(`${JSON.stringify(mine)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

/** A lock without an owner was being written when its process was killed, or is being written now: the pulse decides. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    const holder = parseHolder(text);
    return holder ?? { pid: 0, host: '', system: null, startTicks: null, nonce: text };
  } catch {
    return undefined;
  }
}

function parseHolder(text: string): Holder | undefined {
  const { pid, host, system, startTicks, nonce } = recordOf(parseJson(text));
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof nonce !== 'string') return undefined;
  return { pid, host, system: optionalText(system) ?? null, startTicks: optionalText(startTicks) ?? null, nonce };
}

async function isAlive(path: string, other: Holder, watchPulseMs: number): Promise<boolean> {
  const state = stateOf(other);
  if (state !== 'unknown') return state === 'alive';
  const before = await pulseOf(path);
  const end = Date.now() + watchPulseMs;
  while (Date.now() < end) {
    await sleep(Math.min(500, watchPulseMs / 4));
    // Gone or beating, it is not ours to take.
    if ((await pulseOf(path)) !== before) return true;
  }
  return false;
}

async function pulseOf(path: string): Promise<bigint | undefined> {
  return (await stat(path, { bigint: true }).catch(() => undefined))?.mtimeNs;
}

/** False if another process was faster: what was moved is then not the lock that was judged, and goes back. */
async function moveAside(path: string, judged: Holder): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return true;
  }
  const moved = await readHolder(aside);
  if (moved !== undefined && moved.nonce !== judged.nonce) {
    await rename(aside, path);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

function hold(path: string, mine: Holder, pulseMs: number): OwnerLock {
  let held = true;
  const beat = async (): Promise<void> => {
    const holder = await readHolder(path);
    // Somebody deleted it: as long as no other process comes, it is still ours.
    if (holder === undefined) held = await create(path, mine).catch(() => held);
    else held = holder.nonce === mine.nonce;
    const now = new Date();
    if (held) await utimes(path, now, now).catch(() => {});
  };
  const timer = setInterval(() => void beat(), pulseMs);
  timer.unref();
  return {
    isHeld: () => held,
    release: async () => {
      clearInterval(timer);
      if ((await readHolder(path))?.nonce === mine.nonce) await rm(path, { force: true });
    },
  };
}

/** Identifies a process beyond its number, which is reused. */
interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The boot and the PID namespace, in which process numbers are unique. Null where they are not known. */
  readonly system: string | null;
  /** Clock ticks from boot to the start of the process. Null where they are not known. */
  readonly startTicks: string | null;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), system: ownSystem(), startTicks: startTicksOf(process.pid) };
}

/** `unknown` if it runs on another machine or in another container. */
export function stateOf(other: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  const here = ownSystem();
  if (here === null) {
    if (other.host !== hostname()) return 'unknown';
    return isRunning(other.pid) ? 'alive' : 'gone';
  }
  if (other.system !== here) return 'unknown';
  return other.startTicks !== null && startTicksOf(other.pid) === other.startTicks ? 'alive' : 'gone';
}

function ownSystem(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

function startTicksOf(pid: number): string | null {
  try {
    // The name, in parentheses, may hold anything; the state is field 3 and the start field 22.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie is dead, even though its parent has not noticed yet.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
