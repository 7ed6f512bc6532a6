/** One `oakum watch --replica` as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url));

export interface ReplicaSettings {
  readonly id: string;
  /** Targets and options of `oakum watch`. */
  readonly args: readonly string[];
  /** Instead of this process' own. */
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs what follows it, such as in a namespace of its own. */
  readonly within?: readonly string[];
  /** For its API. */
  readonly token?: string;
  /** The folder of its log. */
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

  get #headers(): Record<string, string> {
    const { token } = this.#settings;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when it has joined and serves. */
  async start(): Promise<void> {
    const { id, args, env, within = [], logs } = this.#settings;
    const [program = '', ...rest] = [...within, process.execPath, join(ROOT, 'bin/oakum.js'), 'watch', ...args];
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], ...(env === undefined ? {} : { env }) });
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

  ask(path: string): Promise<Response> {
    return fetch(this.url + path, { headers: this.#headers, signal: AbortSignal.timeout(20_000) });
  }

  async get<T>(path: string): Promise<T> {
    const response = await this.ask(`/api/v1${path}`);
    return (await response.json()) as T;
  }

  async capture(target: string): Promise<{ readonly captureId?: string; readonly error?: string }> {
    const response = await fetch(`${this.url}/api/v1/targets/${encodeURIComponent(target)}/capture`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.#headers },
      signal: AbortSignal.timeout(200_000),
    });
    return (await response.json()) as { captureId?: string; error?: string };
  }
}
