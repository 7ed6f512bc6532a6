/**
 * An object in a thread of its own, called from here.
 *
 *     const thread = startThread('store-thread', import.meta.url, settings, why => ...);
 *     thread.tell('addSample', target, at, values);            // no answer
 *     await thread.ask('commit');                              // calls arrive in the order in which they are made
 *
 * `serveCalls` is the other side.
 */
import { Worker, type MessagePort, parentPort } from 'node:worker_threads';
import { assert } from '../../base/errors.ts';

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

/** Calls over a channel, in the order in which they are made; `serveCalls` answers them. */
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

/** An id of 0 wants no answer. */
interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Answer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: ThreadError };

/** What is left of an error on the other side; `kind` tells the errors of a port apart. */
interface ThreadError {
  readonly name: string;
  readonly message: string;
  readonly kind?: string;
}

/** One end of a channel: a worker, the parent's port in a worker, or an end of a MessageChannel. */
export type MessageEnd = Worker | MessagePort;

/** The side of a channel that answers calls; calls-over.ts makes them. */
type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** In a thread, over the port to whoever started it. */
export function serveCalls(methods: Methods, port: MessageEnd | null = parentPort): void {
  assert(port !== null, 'this runs in a thread');
  port.on('message', ({ id, method, args }: Call) => {
    const answer = (message: Answer): void => {
      if (id !== 0) port.postMessage(message);
    };
    // A call that fails does not keep the next one from being answered.
    Promise.resolve()
      .then(() => {
        const called = methods[method];
        assert(called !== undefined, `no method ${method}`);
        return called(...(args as never[]));
      })
      .then(
        result => answer({ id, result }),
        (error: Error & { kind?: string }) => answer({ id, error: errorOf(error) }),
      );
  });
}

function errorOf({ name, message, kind }: Error & { kind?: string }): ThreadError {
  return { name, message, ...(typeof kind === 'string' ? { kind } : {}) };
}
