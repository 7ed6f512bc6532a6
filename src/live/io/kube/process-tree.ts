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

/**
 * Ends the child when this process ends before it, also by a signal: Ctrl-C does not reach a child with a session of its
 * own. Returns how to stop watching.
 */
export function endWithThisProcess(child: ChildProcess): () => void {
  const children = listeningChildren() ?? new RunningChildren();
  children.add(child);
  return () => children.remove(child);
}

/** Those that end with this process. It has one listener for all of them, from the first to the last. */
class RunningChildren {
  readonly #running = new Set<ChildProcess>();
  readonly #onExit = Object.assign((): void => this.#endAll(), { children: this });
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#endAll();
    this.#unlisten();
    process.kill(process.pid, signal);
  };
  #handled: readonly NodeJS.Signals[] = [];

  add(child: ChildProcess): void {
    if (this.#running.size === 0) this.#listen();
    this.#running.add(child);
  }

  remove(child: ChildProcess): void {
    if (this.#running.delete(child) && this.#running.size === 0) this.#unlisten();
  }

  #listen(): void {
    process.on('exit', this.#onExit);
    // Where a command handles a signal itself, it gives up what it waits for, and with it the child.
    this.#handled = SIGNALS.filter(name => process.listenerCount(name) === 0);
    for (const name of this.#handled) process.on(name, this.#onSignal);
  }

  #unlisten(): void {
    process.off('exit', this.#onExit);
    for (const name of this.#handled) process.off(name, this.#onSignal);
  }

  #endAll(): void {
    for (const child of this.#running) signalTree(child, 'SIGKILL');
  }
}

/** Undefined while no child runs. */
function listeningChildren(): RunningChildren | undefined {
  for (const listener of process.listeners('exit'))
    if ('children' in listener && listener.children instanceof RunningChildren) return listener.children;
  return undefined;
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
