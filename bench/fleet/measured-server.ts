/** The server as a child process, which says what it uses. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Question, ServerUse } from './serve.ts';

export interface MeasuredServer {
  readonly url: string;
  ask(question: Question): Promise<ServerUse>;
  stop(): void;
}

export async function startMeasured(targets: number): Promise<MeasuredServer> {
  const child = fork(fileURLToPath(new URL('serve.ts', import.meta.url)), [String(targets)], {
    execArgv: ['--import', 'tsx', '--expose-gc', '--max-old-space-size=8192'],
  });
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      const failed = (code: number | null): void => reject(new Error(`the server ended with ${code}`));
      child.once('exit', failed);
      child.once('message', message => {
        child.off('exit', failed);
        resolve(message as T);
      });
    });
  const url = await next<string>();
  return {
    url,
    ask: question => {
      child.send(question);
      return next<ServerUse>();
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
