// The PostgreSQL that all test files of a run share: started when the first of them asks, ended with the run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ROOT } from '../setup.mjs';

const TYPESCRIPT = new URL('typescript.mjs', import.meta.url).href;

export class SharedPostgres {
  #process;
  #folder;

  /** The folder of its socket. */
  folder() {
    return (this.#folder ??= this.#start());
  }

  async #start() {
    // A group of its own: Ctrl-C ends this process, that ends its standard input, and it cleans up after itself.
    this.#process = spawn(process.execPath, ['--import', TYPESCRIPT, 'test/postgres/shared-server.ts'], {
      cwd: ROOT,
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    this.#process.stdin.on('error', () => {});
    for await (const folder of createInterface(this.#process.stdout)) return folder;
    throw new Error('the PostgreSQL of the tests does not start');
  }

  async stop() {
    if (this.#process === undefined || this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }
}
