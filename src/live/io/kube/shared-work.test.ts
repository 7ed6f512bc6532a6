import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sharedWork } from './kube-credentials.ts';

/** Work that ends when it is told to, or when its signal aborts. */
function slowWork() {
  const runs: { finish: (value: string) => void; signal: AbortSignal }[] = [];
  const work = sharedWork(
    signal =>
      new Promise<string>((resolve, reject) => {
        runs.push({ finish: resolve, signal });
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    () => new Error('gave up'),
  );
  return { runs, work };
}

it('is done once for all who wait, and again for the next', async () => {
  const { runs, work } = slowWork();
  const both = Promise.all([work(new AbortController().signal), work(new AbortController().signal)]);
  runs[0].finish('one');
  assert.deepEqual(await both, ['one', 'one']);
  const later = work(new AbortController().signal);
  runs[1].finish('two');
  assert.equal(await later, 'two');
});

it('goes on while anybody waits, and ends with the last', async () => {
  const { runs, work } = slowWork();
  const [first, second] = [new AbortController(), new AbortController()];
  const waiting = Promise.allSettled([work(first.signal), work(second.signal)]);
  first.abort();
  assert.equal(runs[0].signal.aborted, false);
  second.abort();
  assert.equal(runs[0].signal.aborted, true);
  // The first knows at once, and why; the last learns what became of the work.
  const why = (await waiting).map(one => (one.status === 'rejected' ? (one.reason as Error).message : ''));
  assert.deepEqual(why, ['gave up', 'aborted']);
});

it('starts anew after it was given up', async () => {
  const { runs, work } = slowWork();
  const stop = new AbortController();
  const given = assert.rejects(work(stop.signal), /aborted/);
  stop.abort();
  const next = work(new AbortController().signal);
  runs[1].finish('new');
  assert.equal(await next, 'new');
  await given;
});
