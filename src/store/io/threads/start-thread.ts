/**
 * An object in a thread of its own, called from here.
 *
 *     const thread = startThread('store-thread', import.meta.url, settings, why => ...);
 *     thread.tell('addSample', target, at, values);            // no answer
 *     await thread.ask('commit');                              // calls arrive in the order in which they are made
 *
 * serve-calls.ts is the other side.
 */
import { Worker } from 'node:worker_threads';
import type { Answer, Call, MessageEnd } from './thread-messages.ts';

export interface Thread extends Calls {
  close(): Promise<void>;
}

/**
 * `name` is that of a file beside the caller's; the build puts all of them into one folder. `died` is called if the
 * thread ends by itself. `script` is the thread's program if there are no files, as in a single executable; `buildUrl`
 * the folder of the build, if the caller runs from the sources beside one.
 */
export function startThread(
  name: string,
  besideUrl: string,
  settings: unknown,
  died: (why: string) => void,
  script?: string,
  buildUrl: string = besideUrl,
): Thread {
  const worker =
    script === undefined
      ? workerOf(name, buildUrl, settings)
      : new Worker(script, { eval: true, workerData: settings });
  const calls = callsOver(worker);
  let isClosing = false;
  const end = (why: string): void => {
    calls.end(why);
    if (!isClosing) died(why);
    isClosing = true;
  };
  worker.on('error', error => end(error.message));
  worker.on('exit', () => end('the thread has ended'));
  return {
    get hasEnded() {
      return calls.hasEnded;
    },
    tell: calls.tell,
    ask: calls.ask,
    close: async () => {
      isClosing = true;
      await worker.terminate();
    },
  };
}

/** Run from the sources, a thread needs a loader. */
function workerOf(name: string, besideUrl: string, workerData: unknown): Worker {
  if (!besideUrl.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, besideUrl), { workerData });
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const file = JSON.stringify(new URL(`./${name}.ts`, besideUrl).href);
  const script = `import(${loader}).then(({ register }) => (register(), import(${file})))`;
  return new Worker(script, { eval: true, workerData });
}

/** Calls over a channel, in the order in which they are made; serve-calls.ts answers them. */
interface Calls {
  /** Whether the channel has ended: nothing arrives any more. */
  readonly hasEnded: boolean;
  /** Sends a call that needs no answer. False once the channel has ended. */
  tell(method: string, ...args: unknown[]): boolean;
  /** Rejects with the error of the other side, and when the channel ends. */
  ask<T>(method: string, ...args: unknown[]): Promise<T>;
}

interface EndableCalls extends Calls {
  /** Rejects what has no answer yet, and everything from now on. */
  end(why: string): void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function callsOver(port: MessageEnd): EndableCalls {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let ended: string | undefined;
  port.on('message', (answer: Answer) => {
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) call?.reject(Object.assign(new Error(answer.error.message), answer.error));
    else call?.resolve(answer.result);
  });
  const send = (call: Call): void => port.postMessage(call);
  return {
    get hasEnded() {
      return ended !== undefined;
    },
    tell: (method, ...args) => {
      if (ended !== undefined) return false;
      send({ id: 0, method, args });
      return true;
    },
    ask: <T>(method: string, ...args: unknown[]) =>
      new Promise<T>((resolve, reject) => {
        if (ended !== undefined) return reject(new Error(ended));
        const id = nextId++;
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
        send({ id, method, args });
      }),
    end: why => {
      ended ??= why;
      for (const { reject } of waiting.values()) reject(new Error(why));
      waiting.clear();
    },
  };
}
