/** Takes the lock, and waits for that of an interrupted run of the same plan. */
import { type ActContext, type StepEnd, stop, stopFor } from './act-context.ts';
import { takeLock } from './lease-lock.ts';
import { formatClock } from './journal.ts';

const PAUSE_SECONDS = 2;

export async function takeStepLock(context: ActContext, durationSeconds: number): Promise<StepEnd> {
  const { plan, actions, clock, holder, hasEnded, signal, say } = context;
  const until = clock.now() + 2 * durationSeconds;
  let isTold = false;
  for (;;) {
    const taken = await takeLock(actions, clock, { ...plan.policy.lock, durationSeconds, holder, hasEnded });
    if (taken.kind === 'taken') {
      context.lock = taken.lock;
      taken.lock.keepRenewing();
      return { kind: 'done', detail: '' };
    }
    if (taken.kind === 'failed') return stopFor(taken.outcome, 'the lock cannot be taken');
    const isOfThisPlan = taken.holder.startsWith(`${plan.id}@`);
    if (!isOfThisPlan || clock.now() > until)
      return stop(
        'failure',
        `${taken.holder} holds the lock, until ${formatClock(taken.freeAtSeconds)} unless it is renewed`,
      );
    if (!isTold) say(`waiting for the lock of ${taken.holder}, an interrupted run of this plan`);
    isTold = true;
    await clock.sleep(PAUSE_SECONDS, signal);
    if (signal.aborted) return stop('interrupted', 'stopped');
  }
}
