import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodePlan } from './plan/plan.ts';
import type { NodeVerification, VerifyCheck, VerifySample } from './plan-verification.ts';
import { smallPlan } from '../../test/double/small-plan.ts';
import { verifyNode, type VerifyFacts } from './verify-node.ts';

const MB = 1_000_000;
const RESTART = 1_794_900_000;
const [NODE] = smallPlan().waves[0].nodes;

function sample(at: number, more: Record<string, number> = {}): VerifySample {
  return {
    node: 'worker-17',
    at,
    values: {
      process_start_time_seconds: RESTART,
      process_cpu_seconds_total: (at - RESTART) / 10,
      process_resident_memory_bytes: 120 * MB,
      go_gc_heap_live_bytes: 60 * MB,
      go_goroutines: 700,
      kubelet_running_pods: 30,
      kubelet_pleg_relist_duration_seconds_sum: 1,
      kubelet_pleg_relist_duration_seconds_count: 100,
      kubelet_runtime_operations_total: 1000,
      kubelet_runtime_operations_errors_total: 3,
      ...more,
    },
  };
}

/** Ten hours after the warm-up, one sample every five minutes, with noise of about 0.3 MB. */
function life(mbPerHour: number, hours = 10): VerifySample[] {
  return Array.from({ length: hours * 12 }, (_, i) => {
    const noise = (((i * 7919) % 13) - 6) * 0.08;
    return sample(RESTART + 600 + i * 300, { go_gc_heap_live_bytes: (60 + (mbPerHour * i) / 12 + noise) * MB });
  });
}

function verify(samples: readonly VerifySample[], more: Partial<VerifyFacts> = {}): NodeVerification {
  return verifyNode({
    nodePlan: NODE,
    nowSeconds: samples.at(-1)?.at ?? RESTART + 60,
    samples,
    unread: undefined,
    isReady: true,
    readyAfterSeconds: 22,
    warmUpSeconds: undefined,
    before: undefined,
    ...more,
  });
}

const text = ({ checks }: NodeVerification, name: string): string => checks.find(one => one.name === name)?.text ?? '';

describe('verification of a restart', () => {
  it('says cleared when it does not grow any more', () => {
    const answer = verify(life(0));
    assert.equal(answer.outcome, 'cleared');
    assert.match(text(answer, 'slope'), /cleared: \+2\.29 MiB\/h before the restart, .*at 30 pods/);
    assert.equal(text(answer, 'ready'), 'Ready again 22s after the restart');
  });

  it('says came back when it grows as before, and when the limit is reached', () => {
    const answer = verify(life(2.4));
    assert.equal(answer.outcome, 'came back, intrinsic');
    // 4,000 MB - 84 MB at 2.4 MB/h are 68 days.
    assert.match(answer.nextLimitAt ?? '', /^2027-01-2\d/);
    assert.match(answer.sentence, /only buys time; at the limit again on 2027-01-2\d/);
    assert.ok(answer.slopes !== null && Math.abs(answer.slopes.after - 2.4 * MB) < 0.2 * MB);
  });

  it('says when it will be known while it is too early, from the noise that it sees', () => {
    const few = verify(life(2.4).slice(0, 3));
    assert.equal(few.outcome, 'too early');
    // 600 s of warm-up and the 4.5 h of the plan.
    assert.equal(few.knownAt, new Date((RESTART + 600 + 4.5 * 3600 + 60) * 1000).toISOString());
    const some = verify(life(2.4).slice(0, 9));
    assert.equal(some.outcome, 'too early');
    const hours = (Date.parse(some.knownAt ?? '') / 1000 - RESTART) / 3600;
    assert.ok(hours > 0.5 && hours < 4, `known after ${hours} h`);
    assert.match(text(some, 'slope'), /too early to tell .*known at about 2026-11-\d\d \d\d:\d\d UTC/);
  });

  it('notices that nothing was restarted, and what cannot be read', () => {
    const start = NODE.verification.before.processStartSeconds ?? 0;
    const same = verify([sample(RESTART, { process_start_time_seconds: start })]);
    assert.equal(same.outcome, 'not restarted');
    assert.equal(verify([], { unread: 'status 403' }).outcome, 'unread');
  });

  it('compares the CPU counter, pods, PLEG, errors, memory and goroutines', () => {
    const old = sample(RESTART - 60, { process_start_time_seconds: RESTART - 1e6, process_cpu_seconds_total: 5000 });
    assert.match(text(verify([old, ...life(0, 1)]), 'restart'), /CPU counter from 5000 s to/);
    // Later the new process may have used more than the old one did.
    const busy = life(0, 1).map(one => ({
      ...one,
      values: { ...one.values, process_cpu_seconds_total: (one.at - RESTART) * 10 },
    }));
    assert.notEqual(
      verify([{ ...old, values: { ...old.values, process_cpu_seconds_total: 8000 } }, ...busy]).outcome,
      'unwell',
    );
    const cases: readonly [string, Record<string, number>, RegExp][] = [
      ['restart', { process_cpu_seconds_total: 6000 }, /did not start again/],
      ['pods', { kubelet_running_pods: 12 }, /12 pods run, 30 before/],
      ['pleg', { kubelet_pleg_relist_duration_seconds_sum: 500 }, /5\.000 s on average/],
      ['errors', { kubelet_runtime_operations_errors_total: 300 }, /300 of 1,?000 operations/],
      ['memory', { process_resident_memory_bytes: 1300 * MB, go_gc_heap_live_bytes: 900 * MB }, /1\.\d+ GiB of memory/],
      ['goroutines', { go_goroutines: 5000 }, /5,?000 goroutines, 900 before/],
    ];
    for (const [name, values, said] of cases) {
      const answer = verify([old, sample(RESTART + 700, values)]);
      assert.deepEqual([answer.outcome, answer.checks.find(one => one.state === 'bad')?.name], ['unwell', name]);
      assert.match(text(answer, name), said);
    }
    assert.equal(verify([sample(RESTART + 60)], { isReady: false }).outcome, 'unwell');
    // Right after the start, pods may still be on their way.
    assert.equal(verify([sample(RESTART + 60, { kubelet_running_pods: 12 })]).outcome, 'too early');
  });

  it('takes a higher CPU counter for that of the old process only if that one had lived much longer', () => {
    // A resumed apply looks minutes after the restart of a process that had run for one.
    const late = sample(RESTART + 155, { process_cpu_seconds_total: 1.4 });
    const after = (lived: number): VerifyCheck | undefined => {
      const values = { process_start_time_seconds: RESTART - lived, process_cpu_seconds_total: 1.2 };
      return verify([sample(RESTART - 1, values), late]).checks.find(({ name }) => name === 'restart');
    };
    assert.deepEqual(after(60), { name: 'restart', state: 'good', text: 'restarted 2m35s ago' });
    assert.equal(after(86_400)?.state, 'bad');
  });

  it('never names the minute that it is now', () => {
    for (let seconds = 0; seconds < 4000; seconds += 97) {
      const samples = [sample(RESTART + seconds), sample(RESTART + seconds + 20)];
      const { outcome, knownAt } = verify(samples, { warmUpSeconds: 0 });
      assert.equal(outcome, 'too early');
      assert.ok(Date.parse(knownAt ?? '') / 1000 >= RESTART + seconds + 60, `${seconds}: ${knownAt}`);
    }
  });

  it('asks only for a healthy start where nothing leaked before', () => {
    const { verification } = NODE;
    const before = { ...verification.before, slopePerHour: null, slopeInterval: null, residentBytes: 110 * MB };
    const nodePlan: NodePlan = { ...NODE, verification: { ...verification, before } };
    const answer = verify([sample(RESTART + 60)], { nodePlan });
    assert.deepEqual([answer.outcome, answer.checks.filter(one => one.state === 'bad')], ['unknown', []]);
    assert.match(answer.sentence, /no growth was measured before the restart, so whether it helped cannot be said/);
  });
});
