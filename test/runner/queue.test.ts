import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
// @ts-expect-error: plain JavaScript, without types
import { Queue as QueueUntyped } from '../../scripts/test/queue.mjs';

interface Queue {
  readonly length: number;
  take(worker: object): string | undefined;
  release(worker: object): void;
}
const queueOf = (files: readonly string[], times: Readonly<Record<string, number>>): Queue =>
  new (QueueUntyped as new (files: readonly string[], times: object) => Queue)(files, times);

const BROWSER = ['test/browser/a.ts', 'test/browser/b.ts', 'test/browser/c.ts'];
const [one, two, three] = [{}, {}, {}];

describe('the queue of test files', () => {
  it('gives what took longest first', () => {
    const queue = queueOf(['src/a.ts', 'src/b.ts', 'src/c.ts'], { 'src/a.ts': 10, 'src/b.ts': 30, 'src/c.ts': 20 });
    assert.deepEqual(
      [queue.take(one), queue.take(two), queue.take(one), queue.take(one)],
      ['src/b.ts', 'src/c.ts', 'src/a.ts', undefined],
    );
  });

  it('gives browser tests to two workers, and to another when one of them has gone', () => {
    const queue = queueOf([...BROWSER, 'src/a.ts'], { 'src/a.ts': 100_000 });
    assert.deepEqual(
      [queue.take(one), queue.take(two), queue.take(three)],
      ['test/browser/a.ts', 'test/browser/b.ts', 'src/a.ts'],
    );
    assert.equal(queue.take(three), undefined);
    queue.release(one);
    assert.equal(queue.take(three), 'test/browser/c.ts');
    assert.equal(queue.length, 0);
  });
});
