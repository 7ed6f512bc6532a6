/** A metrics database of this machine, started on loopback for a test and ended with it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningEngine {
  readonly url: string;
  readonly stop: () => void;
}

const READY_SECONDS = 60;

/** The first of the programs that is not there; undefined if all are. */
export function missingProgram(programs: readonly string[]): string | undefined {
  return programs.find(program => spawnSync(program, ['--version'], { timeout: 10_000 }).error !== undefined);
}

/** `args` of the address it is to listen on; `ready` is the path that answers once it is ready. */
export async function startEngine(
  program: string,
  args: (address: string) => readonly string[],
  ready: string,
): Promise<RunningEngine> {
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const child = spawn(program, args(address), { stdio: 'ignore' });
  await untilReady(program, `${url}${ready}`, child);
  return { url, stop: () => void child.kill('SIGTERM') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

async function untilReady(program: string, url: string, child: ChildProcess): Promise<void> {
  for (let second = 0; second < READY_SECONDS && child.exitCode === null; second++) {
    const isReady = await fetch(url).then(
      answer => answer.ok,
      () => false,
    );
    if (isReady) return;
    await delay(1000);
  }
  child.kill('SIGKILL');
  throw new Error(`${program} did not start`);
}
