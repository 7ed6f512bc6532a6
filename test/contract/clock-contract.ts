/** The contract of every WatchClock. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import type { WatchClock } from '../../src/base/clock.ts';

export interface ClockImplementation {
  readonly name: string;
  /** Runs, or is made to run, for at least this many of its own seconds while `work` is in progress. */
  readonly make: () => { readonly clock: WatchClock; readonly run: <T>(work: Promise<T>) => Promise<T> };
  /** Some milliseconds of real time. */
  readonly sleepSeconds: number;
}

/** Timers may be a millisecond early. */
const EARLY = 0.9;

export function clockContract({ name, make, sleepSeconds }: ClockImplementation): void {
  describe(`WatchClock: ${name}`, () => {
    it('never goes back, and advances while a caller sleeps', async () => {
      const { clock, run } = make();
      const never = new AbortController().signal;
      let last = clock.now();
      for (let i = 0; i < 3; i++) {
        await run(clock.sleep(sleepSeconds, never));
        assert.ok(clock.now() >= last + EARLY * sleepSeconds, `${clock.now() - last} passed, not ${sleepSeconds}`);
        last = clock.now();
      }
      await run(clock.sleep(0, never));
      assert.ok(clock.now() >= last);
    });

    it('wakes shorter sleepers first', async () => {
      const { clock, run } = make();
      const never = new AbortController().signal;
      const woken: string[] = [];
      const long = clock.sleep(4 * sleepSeconds, never).then(() => woken.push('long'));
      const short = clock.sleep(sleepSeconds, never).then(() => woken.push('short'));
      await run(Promise.all([long, short]));
      assert.deepEqual(woken, ['short', 'long']);
    });

    it('wakes at once when the signal aborts, and does not reject', async () => {
      const { clock } = make();
      const stop = new AbortController();
      const asleep = clock.sleep(1e6, stop.signal);
      stop.abort();
      await asleep;
      await clock.sleep(1e6, stop.signal);
      assert.deepEqual(getEventListeners(stop.signal, 'abort'), []);
    });
  });
}
