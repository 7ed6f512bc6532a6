import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INCIDENT, watchedWorld, type WatchedWorld } from '../../../test/double/world/watched-world.ts';
import { marksOn, START_SECONDS } from '../../../test/double/world/acting-world.ts';
import { inTime } from '../../../test/double/world/in-time.ts';
import { memoryStore } from '../../watch/io/memory-store.ts';
import { recordOf } from '../../base/json.ts';
import type { PlanApproval, WatchPlan } from './watch-plan.ts';
import { withMethods } from '../../base/with-methods.ts';

const approvalOf = ({ hash, node }: WatchPlan, more: Partial<PlanApproval> = {}): PlanApproval => ({
  by: 'kim',
  hash,
  confirm: node,
  ...more,
});

/** Requests that changed something: questions about rights and dry runs do not. */
function changes({ world }: WatchedWorld): string[] {
  return world.requests
    .filter(({ method, path, body }) => {
      const isDry = JSON.stringify(recordOf(body)['deleteOptions'] ?? null).includes('dryRun');
      return method !== 'GET' && !path.endsWith('reviews') && !isDry;
    })
    .map(({ method, path }) => `${method} ${path}`);
}

describe('the plans of a watch', () => {
  it('are made without any right to act, and change nothing', async () => {
    const watched = watchedWorld();
    const plans = watched.plans();
    const plan = await watched.make(plans);
    assert.deepEqual([plan.state, plan.node, plan.madeBy, plan.canApply], ['ready', 'worker-1', 'kim', true]);
    assert.deepEqual(
      plan.steps.map(({ id, state }) => `${id} ${state}`),
      [
        'plan/lock waiting',
        'worker-1/announce waiting',
        'worker-1/restart waiting',
        'worker-1/wait-ready waiting',
        'worker-1/withdraw waiting',
        'worker-1/verify waiting',
        'plan/unlock waiting',
      ],
    );
    assert.match(plan.first.join(), /kubernetes#139823 is fixed in 1\.36\.3/);
    assert.match(
      (await plans.file(plan.id)) ?? '',
      new RegExp(`^# Written by oakum plan[\\s\\S]*callsHash: "?${plan.hash}`),
    );
    const view = await plans.view(INCIDENT);
    assert.deepEqual([view?.cannotPlan, view?.cannotAct], [null, 'this server was started without --allow-actions']);
    const refused = await plans.apply(plan.id, approvalOf(plan));
    assert.deepEqual(refused, { refused: 'this server was started without --allow-actions' });
    assert.deepEqual(await plans.abort(plan.id, approvalOf(plan)), refused);
    assert.deepEqual([changes(watched), watched.restarts], [[], []]);
    assert.deepEqual(watched.timeline, [`${plan.id} to restart made by kim`]);
  });

  it('are not made where there is no cluster, no incident, or a gate that does not hold', async () => {
    const watched = watchedWorld();
    const none = watched.plans({ ports: { cluster: 'no cluster' } });
    const asked = { by: 'kim', action: 'restart', drain: false, again: false, force: null } as const;
    assert.deepEqual(await none.make(INCIDENT, asked), { refused: 'no cluster' });
    assert.equal(await none.make('i-9', asked), undefined);
    assert.equal(await none.view('i-9'), undefined);
    const lost = watchedWorld({ profile: async () => undefined });
    const refused = await lost.plans().make(INCIDENT, asked);
    assert.match(JSON.stringify(refused), /evidence/);
    const forced = await lost.make(lost.plans(), { force: 'the disk of the evidence is gone' });
    assert.equal(forced.forcedBecause, 'the disk of the evidence is gone');
    assert.match((await lost.plans().file(forced.id)) ?? '', /forcedBecause: the disk of the evidence is gone/);
  });

  it('are applied by a person, step by step, with who and when in the store', async () => {
    const watched = watchedWorld();
    const plans = watched.plans({ mayAct: true });
    const plan = await watched.make(plans);
    const begun = await plans.apply(plan.id, approvalOf(plan));
    assert.ok(begun !== undefined && !('refused' in begun) && begun.state === 'applying');
    assert.deepEqual(await plans.apply(plan.id, approvalOf(plan)), { refused: `${plan.id} is under way` });
    const done = await watched.untilIdle(plans);
    assert.deepEqual([done.state, done.canApply, watched.restarts], ['applied', false, ['worker-1']]);
    assert.equal(done.appliedBy, 'kim, through oakum watch as system:serviceaccount:oakum:oakum');
    assert.ok(done.steps.every(({ state, at }) => state === 'done' && at !== null));
    assert.deepEqual(marksOn(watched, 'worker-1'), ['oakum.dev/last-restart']);
    const log = ((await plans.log(plan.id)) ?? '').trim().split('\n');
    const records = log.map(line => JSON.parse(line) as { kind: string; number: number });
    assert.deepEqual(
      records.map(({ number }) => number),
      records.map((_, i) => i + 1),
    );
    assert.deepEqual([records[0].kind, records.at(-1)?.kind], ['apply-began', 'apply-ended']);
    assert.match(await plans.story(INCIDENT), /## What was done[\s\S]*applied by kim, through oakum watch/);
    assert.ok(watched.timeline.includes(`${plan.id}: apply, approved by kim`));
    // Replayed, it is refused.
    assert.deepEqual(await plans.apply(plan.id, approvalOf(plan)), { refused: 'the plan is applied already' });
    assert.deepEqual(watched.restarts, ['worker-1']);
  });

  it('are not applied on an approval of another plan or node, too late, or if they were changed', async () => {
    const watched = watchedWorld();
    const plans = watched.plans({ mayAct: true });
    const plan = await watched.make(plans);
    const why = async (approval: PlanApproval, id = plan.id): Promise<string> =>
      JSON.stringify((await plans.apply(id, approval)) ?? 'no plan');
    assert.match(await why(approvalOf(plan, { hash: `sha256:${'0'.repeat(64)}` })), /for another plan/);
    for (const confirm of ['', 'worker-2', 'WORKER-1', 'worker-1 ', 'worker-'])
      assert.match(await why(approvalOf(plan, { confirm })), /the name that was typed in is not that of the node/);
    assert.equal(await why(approvalOf(plan), 'plan-other'), '"no plan"');
    const other = watched.plans({ mayAct: true, template: 'ssh {node} reboot' });
    assert.match(
      JSON.stringify(await other.apply(plan.id, approvalOf(plan))),
      /run ssh worker-1 restart.*and what would be done is .*run ssh worker-1 reboot/,
    );
    await watched.clock.runUntil(watched.clock.now() + 31 * 60);
    assert.match(await why(approvalOf(plan)), /31m old, and only good for 30m/);
    assert.equal((await plans.view(INCIDENT))?.plans[0].state, 'expired');
    assert.deepEqual([changes(watched), watched.restarts], [[], []]);

    // Someone who can write to the store makes it run something else.
    const [stored] = await watched.store.records({ kind: 'plan' });
    const store = memoryStore();
    const document = JSON.parse(JSON.stringify(stored.document).replaceAll('worker-1', 'worker-2')) as object;
    store.put({ kind: 'plan', record: { ...stored, document } });
    await store.commit();
    const forged = watched.plans({ mayAct: true, ports: { store } });
    const approval = approvalOf(plan, { confirm: 'worker-2' });
    assert.match(JSON.stringify(await forged.apply(plan.id, approval)), /was changed after it was written/);
    assert.match(watched.timeline.at(-1) ?? '', /made by kim$/);
    assert.deepEqual((await forged.view(INCIDENT))?.plans, []);
    assert.deepEqual([changes(watched), watched.restarts], [[], []]);
  });

  it('are not taken up by a new server; a person resumes or aborts them', async () => {
    for (const next of ['apply', 'abort'] as const) {
      const watched = watchedWorld();
      watched.world.addPod('worker-1', { name: 'slow', spec: { terminationGracePeriodSeconds: 600 } });
      const plans = watched.plans({ mayAct: true });
      const plan = await watched.make(plans, { drain: true });
      await plans.apply(plan.id, approvalOf(plan));
      await inTime(watched.clock, watched.clock.sleep(60, new AbortController().signal));
      const during = (await plans.view(INCIDENT))?.plans[0];
      const drain = during?.steps.find(({ kind }) => kind === 'drain');
      assert.deepEqual([during?.state, drain?.state, drain?.detail], ['applying', 'running', '0 of 1 pods are gone']);
      await inTime(watched.clock, plans.stop());
      const again = watched.plans({ mayAct: true });
      await again.follow();
      const stopped = (await again.view(INCIDENT))?.plans[0];
      assert.deepEqual([stopped?.state, stopped?.canApply, stopped?.canAbort], ['stopped', true, true]);
      assert.match(stopped?.stateText ?? '', /^It stopped: stopped\. Resume it, or abort it\.$/);
      assert.deepEqual(watched.restarts, []);
      await again[next](plan.id, approvalOf(plan, { by: 'robin' }));
      const end = await watched.untilIdle(again);
      assert.equal(end.state, next === 'apply' ? 'applied' : 'aborted');
      assert.deepEqual(watched.restarts, next === 'apply' ? ['worker-1'] : []);
      assert.deepEqual(marksOn(watched, 'worker-1'), next === 'apply' ? ['oakum.dev/last-restart'] : []);
      const more = await again[next](plan.id, approvalOf(plan));
      assert.match(JSON.stringify(more), /already/);
    }
  });

  it('say why nothing was done when a right is missing, and what stopped them', async () => {
    const watched = watchedWorld();
    const plans = watched.plans({ mayAct: true });
    const plan = await watched.make(plans);
    watched.world.fault = ({ path }) =>
      path.endsWith('selfsubjectaccessreviews') ? { status: 201, body: { status: { allowed: false } } } : undefined;
    await plans.apply(plan.id, approvalOf(plan));
    const refused = await watched.untilIdle(plans);
    assert.equal(refused.state, 'ready');
    assert.match(
      refused.stateText,
      /the account of this server may not .*patch nodes .*nothing was done.*It is good for 29m more/s,
    );
    assert.match(watched.timeline.at(-1) ?? '', /may not .*patch nodes/);
    watched.world.fault = undefined;
    watched.onCommand = async () => ({ how: 'exited', exitCode: 255, output: 'ssh: no route' });
    await plans.apply(plan.id, approvalOf(plan));
    const failed = await watched.untilIdle(plans);
    assert.match(failed.stateText, /^It stopped: ssh worker-1 restart: exit code 255: ssh: no route/);
    assert.equal(failed.steps.find(({ kind }) => kind === 'restart')?.state, 'failed');
    assert.equal(failed.steps.find(({ kind }) => kind === 'announce')?.state, 'undone');
  });

  it('stop before an act when the log cannot be written', async () => {
    const watched = watchedWorld();
    const { store } = watched;
    let isFull = false;
    const full = withMethods(store, {
      commit: async () => (isFull ? { committed: false, samples: 0 } : store.commit()),
    });
    const plans = watched.plans({ mayAct: true, ports: { store: full } });
    const plan = await watched.make(plans);
    isFull = true;
    await plans.apply(plan.id, approvalOf(plan));
    const end = await watched.untilIdle(plans);
    assert.match(end.stateText, /the store of oakum watch cannot be written/);
    assert.deepEqual([changes(watched), watched.restarts], [[], []]);
  });

  it('are followed until it is known whether they helped, from the samples of the watch', async () => {
    for (const [mbPerHour, outcome] of [
      [2.4, 'came back, intrinsic'],
      [0, 'cleared'],
    ] as const) {
      const watched = watchedWorld();
      const { clock, store } = watched;
      const sample = (at: number, start: number, mb: number, i: number): void => {
        const heap = (mb + (((i * 7919) % 13) - 6) * 0.05) * 1e6;
        const values = { process_start_time_seconds: start, go_gc_heap_live_bytes: heap, kubelet_running_pods: 30 };
        store.addSample('node/worker-1', at, {
          ...values,
          process_resident_memory_bytes: 2 * heap,
          go_goroutines: 700,
        });
      };
      for (let i = 0; i < 288; i++) sample(clock.now() - (288 - i) * 600, START_SECONDS, 500 + (2.4 * i) / 6, i);
      await store.commit();
      const plans = watched.plans({ mayAct: true });
      const plan = await watched.make(plans);
      await plans.apply(plan.id, approvalOf(plan));
      assert.equal((await watched.untilIdle(plans)).verified?.outcome, 'too early');
      const restarted = clock.now();
      for (let i = 0; i < 120; i++) sample(restarted + 30 + i * 300, restarted - 30, 60 + (mbPerHour * i) / 12, i);
      await store.commit();
      await plans.follow();
      const early = (await plans.view(INCIDENT))?.plans[0].verified;
      assert.equal(early?.outcome, 'too early');
      await clock.runUntil(restarted + 10 * 3600);
      await plans.follow();
      await plans.follow();
      const { verified } = (await plans.view(INCIDENT))?.plans[0] ?? {};
      assert.equal(verified?.outcome, outcome, verified?.text);
      assert.match(verified?.text ?? '', /\+2\.29 MiB\/h before the restart/);
      assert.equal(watched.timeline.filter(text => text.includes(`: ${outcome}: `)).length, 1);
      assert.match(await plans.story(INCIDENT), new RegExp(`## Whether it helped[\\s\\S]*worker-1: ${outcome}`));
    }
  });

  it('show what oakum apply does elsewhere, by its Events', async () => {
    const watched = watchedWorld();
    const plans = watched.plans();
    const plan = await watched.make(plans);
    const at = 1_794_772_000 - 3600;
    const event = (offset: number, text: string) =>
      watched.store.put({ kind: 'event', record: { target: 'node/worker-1', at: at + offset, kind: 'event', text } });
    event(0, `KubeletRestartStarting: ${plan.id}: restarts the kubelet of worker-1`);
    event(1, 'NodeNotReady: plan-x: no');
    event(2, 'CordonSucceeded: plan-20261117t000000-abcdef12: ');
    event(3, `KubeletRestartSucceeded: ${plan.id}: started again`);
    await watched.store.commit();
    const view = await plans.view(INCIDENT);
    const [own] = view?.plans ?? [];
    assert.deepEqual([own?.state, own?.canApply], ['applied elsewhere', false]);
    const restart = own?.steps.find(({ kind }) => kind === 'restart');
    assert.deepEqual([restart?.state, restart?.detail, restart?.at], ['done', 'started again', at + 3]);
    assert.deepEqual(view?.elsewhere, [
      { id: 'plan-20261117t000000-abcdef12', steps: [{ at: at + 2, reason: 'CordonSucceeded', text: '' }] },
    ]);
  });
});
