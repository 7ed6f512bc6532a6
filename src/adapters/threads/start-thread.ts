/**
 * An object in a thread of its own, called from here.
 *
 *     const thread = startThread('store-thread', import.meta.url, settings, why => ...);
 *     thread.tell('addSample', target, at, values);            // goes on its way, nobody waits
 *     await thread.ask('commit');                              // calls come in the order in which they were made
 *
 * The other side is serve-calls.ts.
 */
import { Worker } from 'node:worker_threads';
import type { Answer, Call } from './thread-messages.ts';

export interface Thread {
  tell(method: string, ...args: unknown[]): void;
  /** Rejects with the error of the other side, and when the thread has ended. */
  ask<T>(method: string, ...args: unknown[]): Promise<T>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * `name` is that of a file beside the one that asks; the build puts it beside all others. `died` is called when the
 * thread ends by itself.
 */
export function startThread(name: string, besideUrl: string, settings: unknown, died: (why: string) => void): Thread {
  const worker = workerOf(name, besideUrl, settings);
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let isClosing = false;
  let ended: string | undefined;
  const end = (why: string): void => {
    ended ??= why;
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
    if (!isClosing) died(why);
    isClosing = true;
  };
  worker.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) asked?.reject(Object.assign(new Error(answer.error.message), answer.error));
    else asked?.resolve(answer.result);
  });
  worker.on('error', error => end(error.message));
  worker.on('exit', () => end('the thread has ended'));
  const send = (call: Call): void => worker.postMessage(call);
  return {
    tell: (method, ...args) => send({ id: 0, method, args }),
    ask: <T>(method: string, ...args: unknown[]) =>
      new Promise<T>((resolve, reject) => {
        if (ended !== undefined) return reject(new Error(ended));
        const id = nextId++;
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
        send({ id, method, args });
      }),
    close: async () => {
      isClosing = true;
      await worker.terminate();
    },
  };
}

/** From the sources the thread is run as the tests are. */
function workerOf(name: string, besideUrl: string, workerData: unknown): Worker {
  if (!besideUrl.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, besideUrl), { workerData });
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const file = JSON.stringify(new URL(`./${name}.ts`, besideUrl).href);
  const script = `import(${loader}).then(({ register }) => (register(), import(${file})))`;
  return new Worker(script, { eval: true, workerData });
}
