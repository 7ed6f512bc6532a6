/** Ends a child together with what it started, which would otherwise go on after us. */
import { type ChildProcess, spawn } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** To remove a lock or a temporary file. */
const GRACE_MS = 500;

/** The child must have been started with `detached`, except on Windows, which has no process groups. */
export function endProcessTree(child: ChildProcess): void {
  if (!signalTree(child, 'SIGTERM')) return;
  setTimeout(() => signalTree(child, 'SIGKILL'), GRACE_MS);
}

const running = new Set<ChildProcess>();
let handled: readonly NodeJS.Signals[] = [];

/**
 * Ends the child when this process ends before it, also by a signal: Ctrl-C does not reach a child with a session of its
 * own. Returns how to stop watching.
 */
export function endWithThisProcess(child: ChildProcess): () => void {
  if (running.size === 0) listen();
  running.add(child);
  return () => {
    if (running.delete(child) && running.size === 0) unlisten();
  };
}

function listen(): void {
  process.on('exit', endAll);
  // Where a command handles a signal itself, it gives up what it waits for, and with it the child.
  handled = SIGNALS.filter(name => process.listenerCount(name) === 0);
  for (const name of handled) process.on(name, endAllAndDie);
}

function unlisten(): void {
  process.off('exit', endAll);
  for (const name of handled) process.off(name, endAllAndDie);
}

function endAll(): void {
  for (const child of running) signalTree(child, 'SIGKILL');
}

function endAllAndDie(signal: NodeJS.Signals): void {
  endAll();
  unlisten();
  process.kill(process.pid, signal);
}

/** False if nothing is left of it. */
function signalTree({ pid }: ChildProcess, signal: NodeJS.Signals): boolean {
  if (pid === undefined) return false;
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore' });
    else process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
