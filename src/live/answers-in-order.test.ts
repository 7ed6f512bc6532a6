import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { answersInOrder } from './read-fleet-history.ts';

describe('answers in order', () => {
  it('come in the order of the tasks, with only so many at once', async () => {
    let [running, most] = [0, 0];
    const tasks = [5, 1, 3, 0, 2].map((turns, i) => async () => {
      most = Math.max(most, ++running);
      for (let t = 0; t < turns; t++) await turn();
      running--;
      return i;
    });
    const given: number[] = [];
    for await (const one of answersInOrder(tasks, 2)) given.push(one);
    assert.deepEqual(given, [0, 1, 2, 3, 4]);
    assert.equal(most, 2);
  });

  it('end with the first failure, and those behind it are nobody’s concern', async () => {
    const started: number[] = [];
    const tasks = [0, 1, 2, 3].map(i => () => {
      started.push(i);
      return i === 0 ? Promise.resolve(i) : Promise.reject(new Error(`task ${i}`));
    });
    const answers = answersInOrder(tasks, 2);
    assert.deepEqual(await answers.next(), { done: false, value: 0 });
    await assert.rejects(answers.next(), /task 1/);
    // An unhandled rejection of task 2 would end the process.
    await turn();
    assert.deepEqual(started, [0, 1, 2]);
  });
});
