/** Who a process is, beyond its number, which the system gives to others later. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Of the running system and its view of processes: boot and PID namespace. Null where the system does not tell. */
  readonly world: string | null;
  /** Clock ticks from boot to the process's start. Null where the system does not tell. */
  readonly startTicks: string | null;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), world: ownWorld(), startTicks: startTicksOf(process.pid) };
}

/** `unknown` where it lives in a world that cannot be seen from here: another machine, or another container. */
export function stateOf(other: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  const here = ownWorld();
  if (here === null) {
    if (other.host !== hostname()) return 'unknown';
    return isRunning(other.pid) ? 'alive' : 'gone';
  }
  if (other.world !== here) return 'unknown';
  return other.startTicks !== null && startTicksOf(other.pid) === other.startTicks ? 'alive' : 'gone';
}

function ownWorld(): string | null {
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
    // A zombie is dead: it only waits for its parent to look.
    return fields[0] === 'Z' ? null : fields[19];
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
