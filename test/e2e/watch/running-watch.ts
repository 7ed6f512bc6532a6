/** A running `oakum watch`, queried like its web page does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import type { FleetView } from '../../../src/watch/views/fleet.ts';
import type { IncidentSummary, IncidentView, WatchStatus } from '../../../src/watch/watch-model.ts';

export interface RunningWatch {
  readonly url: string;
  status(): Promise<WatchStatus>;
  fleet(): Promise<FleetView>;
  incidents(): Promise<IncidentSummary[]>;
  incident(id: string): Promise<IncidentView>;
  /** The bytes of any path below it. */
  get(path: string): Promise<Uint8Array>;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number>;
}

const START_SECONDS = 60;

/** Its terminal output goes to `say`. */
export async function startWatch(
  folder: string,
  args: readonly string[],
  kubeconfig: string | undefined,
  say: (line: string) => void,
): Promise<RunningWatch> {
  const child = spawn('oakum', ['watch', '--listen', 'localhost:0', ...args], {
    cwd: join(folder, 'work'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
      ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
    },
  });
  child.stderr.on('data', (text: Buffer) => {
    for (const line of String(text).trimEnd().split('\n')) say(line);
  });
  const exit = new Promise<number>(resolve => child.once('exit', code => resolve(code ?? -1)));
  const url = await addressOf(child);
  const get = async (path: string): Promise<Response> => {
    const answer = await fetch(`${url}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const json = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T;
  return {
    url,
    status: () => json('/api/v1/status'),
    fleet: () => json('/api/v1/fleet?hours=1'),
    incidents: () => json('/api/v1/incidents'),
    incident: id => json(`/api/v1/incidents/${id}`),
    get: async path => new Uint8Array(await (await get(path)).arrayBuffer()),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exit;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`watch told no address: ${text}`)), START_SECONDS * 1000);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += String(chunk);
      const found = /^ {2}(http:\/\/\S+)$/m.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once('exit', code => reject(new Error(`watch ended with ${code}: ${text}`)));
  });
}
