/** The way to the thread that does watch's long work. */
import { Worker } from 'node:worker_threads';
import type { Background } from '../../engine/watch/background.ts';
import type { Analysis } from '../../model/analysis.ts';
import type { TargetVerdict } from '../../model/detection.ts';
import type { ThreadAnswer, ThreadRequest, ThreadSettings } from './background-messages.ts';

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** `died`: the thread ended by itself; nothing can be judged any more. */
export function startBackground(settings: ThreadSettings, died: (why: string) => void): Background {
  const worker = startThread(settings);
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let isClosing = false;
  let ended: string | undefined;
  const send = (request: ThreadRequest): void => worker.postMessage(request);
  const ask = <T>(make: (id: number) => ThreadRequest): Promise<T> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(new Error(ended));
      const id = nextId++;
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      send(make(id));
    });
  const end = (why: string): void => {
    ended ??= why;
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
    if (!isClosing) died(why);
    isClosing = true;
  };
  worker.on('message', (answer: ThreadAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) asked?.reject(new Error(answer.error));
    else asked?.resolve(answer.result);
  });
  worker.on('error', error => end(error.message));
  worker.on('exit', () => end('the detector has ended'));
  return {
    observe: rows => send({ kind: 'observe', rows }),
    reset: () => send({ kind: 'reset' }),
    settle: () => ask<void>(id => ({ kind: 'settle', id })),
    evaluate: at => ask<readonly TargetVerdict[]>(id => ({ kind: 'evaluate', id, at })),
    analyze: evidence => ask<Analysis>(id => ({ kind: 'analyze', id, evidence })),
    bundle: evidence => ask<Uint8Array>(id => ({ kind: 'bundle', id, evidence })),
    report: (evidence, audience) => ask<string>(id => ({ kind: 'report', id, evidence, audience })),
    close: async () => {
      isClosing = true;
      await worker.terminate();
    },
  };
}

/** The build has the thread's file beside this one; from the sources it is run as the tests are. */
function startThread(workerData: ThreadSettings): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./background-thread.js', import.meta.url), { workerData });
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const file = JSON.stringify(new URL('./background-thread.ts', import.meta.url).href);
  const script = `import(${loader}).then(({ register }) => (register(), import(${file})))`;
  return new Worker(script, { eval: true, workerData });
}
