/** One `oakum watch --replica` as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url));

export interface ReplicaSettings {
  readonly id: string;
  readonly store: string;
  readonly data: string;
  readonly targets: readonly string[];
  readonly alertmanager: string;
  readonly intervalSeconds: number;
  readonly timeScale: number;
  readonly logs: string;
}

export class ReplicaProcess {
  readonly #settings: ReplicaSettings;
  #child: ChildProcess | undefined;
  url = '';

  constructor(settings: ReplicaSettings) {
    this.#settings = settings;
  }

  get id(): string {
    return this.#settings.id;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when it has joined and serves. */
  async start(): Promise<void> {
    const { id, store, data, targets, alertmanager, intervalSeconds, timeScale, logs } = this.#settings;
    const options = [
      ...['--store', store, '--data', data, '--replica', 'postgres', '--replica-id', id, '--listen', 'localhost:0'],
      ...['--interval', `${intervalSeconds}s`, '--time-scale', String(timeScale), '--capture'],
      ...['--alertmanager', alertmanager],
    ];
    const child = spawn(process.execPath, [join(ROOT, 'bin/oakum.js'), 'watch', ...targets, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const log = (text: string): void => appendFileSync(join(logs, `${id}.log`), text);
    child.stderr.on('data', (chunk: Buffer) => log(chunk.toString('utf8')));
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      child.once('exit', code => reject(new Error(`${id} ended with ${code}; see ${logs}/${id}.log`)));
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString('utf8');
        log(chunk.toString('utf8'));
        const [, url] = /^ {2}(http:\S+)$/m.exec(printed) ?? [];
        if (url === undefined) return;
        this.url = url;
        resolve();
      });
    });
  }

  async signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.removeAllListeners('exit');
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill(name);
    if (name === 'SIGKILL' || name === 'SIGTERM') await ended;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1${path}`, { signal: AbortSignal.timeout(20_000) });
    return (await response.json()) as T;
  }

  async capture(target: string): Promise<{ readonly captureId?: string; readonly error?: string }> {
    const response = await fetch(`${this.url}/api/v1/targets/${encodeURIComponent(target)}/capture`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(200_000),
    });
    return (await response.json()) as { captureId?: string; error?: string };
  }
}
