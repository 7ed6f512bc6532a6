/** Identifies a process beyond its number, which is reused. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
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
