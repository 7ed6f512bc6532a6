import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordOf, textOf } from '../../base/json.ts';
import { actingWorld, type ActingWorld, Killed, marksOn } from '../../../test/double/world/acting-world.ts';
import { drainPlanFor, planFor } from '../../../test/double/world/plans.ts';
import { status } from '../../../test/double/world/world-answer.ts';
import type { ApplyResult } from './apply-plan.ts';

const reasons = ({ world }: ActingWorld): string[] => world.all('events').map(({ reason }) => textOf(reason));

function stopped(result: ApplyResult): Extract<ApplyResult, { kind: 'stopped' }> {
  assert.ok(result.kind === 'stopped', JSON.stringify(result));
  return result;
}

describe('apply', () => {
  it('drains, restarts and uncordons; each step that matters is an Event with who, all are in the log; nothing of ours is left but the time', async () => {
    const acting = actingWorld(['worker-1', 'worker-2']);
    for (const name of ['a', 'b', 'c', 'd']) acting.world.addPod('worker-1', { name });
    const plan = drainPlanFor(acting, ['worker-1']);
    assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: false });
    assert.deepEqual(acting.restarts, ['worker-1']);
    assert.deepEqual(acting.world.all('pods'), []);
    assert.deepEqual(marksOn(acting, 'worker-1'), ['oakum.dev/last-restart']);
    assert.deepEqual(reasons(acting), [
      'CordonSucceeded',
      'DrainSucceeded',
      'KubeletRestartSucceeded',
      'UncordonSucceeded',
    ]);
    for (const { note } of acting.world.all('events'))
      assert.match(textOf(note), /^plan-\S+: \S.* \(applied by tester, planned by ann\)$/);
    assert.equal(acting.log.kinds().at(-1), 'apply-ended');
    const lease = acting.world.find('leases', 'oakum-actions', 'oakum');
    assert.equal(recordOf(lease?.['spec'])['holderIdentity'], '');
    assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: true });
    assert.deepEqual(acting.restarts, ['worker-1']);
  });

  it('is resumed after a kill at any request or record, with nothing done twice', async () => {
    const count = await requestsOf();
    for (let kill = 0; kill < 2 * count.requests + count.records; kill++) {
      const acting = actingWorld(['worker-1', 'worker-2']);
      for (const name of ['a', 'b']) acting.world.addPod('worker-1', { name });
      const plan = drainPlanFor(acting, ['worker-1']);
      let seen = 0;
      const evicted = new Map<string, number>();
      acting.world.fault = (request, done) => {
        if (request.path.endsWith('/eviction')) evicted.set(request.path, (evicted.get(request.path) ?? 0) + 1);
        if (isInBackground(request) || seen++ !== Math.floor(kill / 2) || kill >= 2 * count.requests) return undefined;
        if (kill % 2 === 1) done();
        throw new Killed();
      };
      if (kill >= 2 * count.requests) acting.log.killAt = kill - 2 * count.requests;
      await assert.rejects(acting.apply(plan), Killed, `kill ${kill} did not happen`);
      acting.log.killAt = Infinity;
      acting.world.fault = request => {
        if (request.path.endsWith('/eviction')) evicted.set(request.path, (evicted.get(request.path) ?? 0) + 1);
        return undefined;
      };
      assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: false }, `kill ${kill}`);
      assert.deepEqual(acting.restarts, ['worker-1'], `kill ${kill}`);
      assert.deepEqual(marksOn(acting, 'worker-1'), ['oakum.dev/last-restart'], `kill ${kill}`);
      assert.deepEqual(acting.world.all('pods'), [], `kill ${kill}`);
    }
  });

  it('does not restart again what the command of a killed run restarts later', async () => {
    const acting = actingWorld(['worker-1']);
    const plan = planFor(acting, ['worker-1']);
    acting.onCommand = async () => {
      void acting.clock.sleep(10, new AbortController().signal).then(() => acting.restart('worker-1'));
      throw new Killed();
    };
    await assert.rejects(acting.apply(plan), Killed);
    acting.onCommand = undefined;
    assert.equal((await acting.apply(plan)).kind, 'done');
    assert.deepEqual(acting.restarts, ['worker-1']);
    assert.ok(acting.log.lines.some(line => line.includes('already-done')));
  });

  it('refuses a plan that is too old, of another cluster, aborted, or with the log of another', async () => {
    const old = actingWorld(['worker-1']);
    const plan = planFor(old, ['worker-1'], { createdAt: '2026-01-01T00:00:00Z' });
    assert.match(JSON.stringify(await old.apply(plan)), /"refused","why":"expired".*only good for 30m/);
    const other = actingWorld(['worker-1']);
    const cluster = { context: 'x', address: 'https://x', uid: 'another', nodeCount: 1, notReadyCount: 0 };
    assert.match(
      JSON.stringify(await other.apply(planFor(other, ['worker-1'], { cluster }))),
      /https:\/\/world is another/,
    );
    const twice = actingWorld(['worker-1']);
    await twice.apply(planFor(twice, ['worker-1']));
    assert.match(
      JSON.stringify(await twice.apply(planFor(twice, ['worker-1'], { warnings: ['x'] }))),
      /log is that of another plan/,
    );
    for (const { restarts } of [old, other]) assert.deepEqual(restarts, []);
  });

  it('stops before anything when a right is missing, and undoes what was done when one is taken away', async () => {
    const acting = actingWorld(['worker-1']);
    acting.world.fault = ({ path }) =>
      path.endsWith('selfsubjectaccessreviews') ? { status: 201, body: { status: { allowed: false } } } : undefined;
    const refused = await acting.apply(planFor(acting, ['worker-1']));
    assert.ok(refused.kind === 'refused');
    assert.match(refused.detail, /you may not .*patch nodes \(for worker-1\/announce, .*\).*; nothing was done/);
    assert.deepEqual([acting.log.lines, marksOn(acting, 'worker-1')], [[], []]);
    acting.world.addPod('worker-1', { name: 'a' });
    acting.world.fault = ({ path }) =>
      path.endsWith('/eviction') ? status(403, 'Forbidden', 'pods "a" is forbidden') : undefined;
    const result = stopped(await acting.apply(drainPlanFor(acting, ['worker-1'])));
    assert.deepEqual([result.why, result.step], ['forbidden', 'worker-1/drain']);
    assert.deepEqual(
      result.undone.map(({ step, outcome }) => `${step} ${outcome}`),
      ['worker-1/cordon undone', 'worker-1/announce undone'],
    );
    assert.deepEqual(marksOn(acting, 'worker-1'), []);
    assert.deepEqual(acting.restarts, []);
  });

  it('stops when the world changed under the plan', async () => {
    const changes: readonly [(acting: ActingWorld) => void, RegExp][] = [
      [
        ({ world }) => void world.change('nodes', 'worker-1', { spec: { unschedulable: true } }),
        /cordoned, and not by Oakum/,
      ],
      [
        ({ world }) => void world.change('nodes', 'worker-1', { metadata: { uid: 'new' } }),
        /another node than the plan's/,
      ],
      [
        ({ world }) =>
          void world.change('nodes', 'worker-1', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
        /is not Ready/,
      ],
      [
        ({ world }) =>
          void world.change('nodes', 'worker-1', {
            metadata: { annotations: { 'weave.works/kured-reboot-in-progress': 'x' } },
          }),
        /kured is rebooting/,
      ],
      [
        ({ world }) => void world.change('nodes', 'worker-1', { spec: { taints: [{ key: 'medik8s.io/drain' }] } }),
        /someone maintains/,
      ],
      [
        ({ world }) =>
          void world.add('daemonsets', {
            metadata: {
              name: 'kured',
              namespace: 'kube-system',
              annotations: { 'weave.works/kured-node-lock': '{"nodeID":"worker-9","TTL":0}' },
            },
          }),
        /kured is rebooting worker-9/,
      ],
    ];
    for (const [change, why] of changes) {
      const acting = actingWorld('123456'.split('').map(number => `worker-${number}`));
      const plan = drainPlanFor(acting, ['worker-1']);
      change(acting);
      const result = stopped(await acting.apply(plan));
      assert.match(result.detail, why);
      assert.equal(result.why, 'precondition');
      assert.deepEqual(acting.restarts, []);
      const left = marksOn(acting, 'worker-1').filter(mark => mark.startsWith('oakum'));
      assert.deepEqual(left, [], String(why));
    }
  });

  it('respects the lock of another, and stops when its own is lost', async () => {
    const acting = actingWorld(['worker-1']);
    const plan = drainPlanFor(acting, ['worker-1']);
    acting.world.addPod('worker-1', { name: 'a', spec: { terminationGracePeriodSeconds: 200 } });
    void acting.clock
      .sleep(50, new AbortController().signal)
      .then(() => acting.world.change('leases', 'oakum-actions', { spec: { holderIdentity: 'someone' } }, 'oakum'));
    const result = stopped(await acting.apply(plan));
    assert.deepEqual([result.why, acting.restarts], ['lock-lost', []]);
    assert.match(result.detail, /someone took it/);
    assert.match(
      JSON.stringify(result.undone),
      /"kept".*worker-1 stays cordoned.*it is half drained: 1 pods? (?:was|were) evicted/,
    );
    const second = actingWorld(['worker-1']);
    second.world.add('leases', {
      metadata: { name: 'oakum-actions', namespace: 'oakum' },
      spec: {
        holderIdentity: 'plan-x@y/1',
        leaseDurationSeconds: 60,
        renewTime: new Date(second.clock.now() * 1000).toISOString(),
      },
    });
    const held = stopped(await second.apply(planFor(second, ['worker-1'])));
    assert.match(held.detail, /plan-x@y\/1 holds the lock, until/);
    assert.deepEqual([second.restarts, marksOn(second, 'worker-1')], [[], []]);
  });

  it('keeps to its budgets: per hour, cool-down, and the share that is not Ready', async () => {
    const nodes = ['w-1', 'w-2', 'w-3', 'w-4', 'w-5'];
    const acting = actingWorld(nodes);
    const base = planFor(acting, nodes);
    const plan = planFor(acting, nodes, { policy: { ...base.policy, maxPerHour: 2 } });
    const result = stopped(await acting.apply(plan));
    assert.deepEqual([result.why, acting.restarts], ['per-hour', ['w-1', 'w-2']]);
    assert.match(result.detail, /2 kubelets were restarted in the last hour.*goes on after \d\d:\d\d UTC/);
    assert.deepEqual(marksOn(acting, 'w-3'), [], 'a node waits for the hour with marks of ours');
    await acting.clock.runUntil(acting.clock.now() + 3600);
    assert.equal(stopped(await acting.apply(plan)).why, 'per-hour');
    assert.deepEqual(acting.restarts, ['w-1', 'w-2', 'w-3', 'w-4']);

    const again = actingWorld(['w-1']);
    await again.apply(planFor(again, ['w-1']));
    again.log.lines.length = 0;
    const second = stopped(await again.apply({ ...planFor(again, ['w-1']), id: 'plan-second' }));
    assert.equal(second.why, 'cool-down');
    assert.match(second.detail, /w-1 was restarted by plan-\S+ \S+ ago/);

    const sick = actingWorld(nodes);
    const five = planFor(sick, nodes);
    const guarded = {
      ...five,
      waves: five.waves.map(wave => ({
        ...wave,
        nodes: wave.nodes.map(one => ({
          ...one,
          steps: one.steps.map(step => ({
            ...step,
            preconditions: [{ kind: 'not-ready-below', percent: 20 } as const],
          })),
        })),
      })),
    };
    void sick.clock
      .sleep(300, new AbortController().signal)
      .then(() =>
        sick.world.change('nodes', 'w-5', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }),
      );
    const many = stopped(await sick.apply(guarded));
    assert.deepEqual([many.why, sick.restarts], ['too-many-not-ready', ['w-1']]);
    assert.match(many.detail, /1 of 5 nodes are not Ready \(w-5\)/);
  });

  it('keeps a node cordoned whose kubelet did not come back, and says what is left and why', async () => {
    const acting = actingWorld('123456'.split('').map(number => `w-${number}`));
    acting.world.addPod('w-1', { name: 'a' });
    acting.onCommand = async () => {
      acting.restart('w-1');
      acting.world.change('nodes', 'w-1', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
      return { how: 'exited', exitCode: 0, output: '' };
    };
    const plan = drainPlanFor(acting, ['w-1']);
    const result = stopped(await acting.apply(plan));
    assert.equal(result.step, 'w-1/wait-ready');
    assert.deepEqual(
      result.undone.map(({ step, outcome }) => `${step} ${outcome}`),
      ['w-1/cordon kept'],
    );
    assert.match(
      result.undone[0].detail,
      /w-1 stays cordoned, with the annotation of plan-\S+: it is not Ready after the restart; look at the node, then oakum plan abort --node w-1/,
    );
    const left = ['cordoned', 'oakum.dev/cordoned-by', 'oakum.dev/last-restart', 'oakum.dev/plan', 'oakum.dev/step'];
    assert.deepEqual(marksOn(acting, 'w-1'), left);
    // A person who looked at it says otherwise.
    assert.equal((await acting.abort(plan)).kind, 'undone');
    assert.deepEqual(marksOn(acting, 'w-1'), ['oakum.dev/last-restart']);
  });

  it('does not count a restart that nobody saw as none while the kubelet is silent', async () => {
    const acting = actingWorld('123456'.split('').map(number => `w-${number}`));
    acting.onCommand = async () => {
      acting.world.change('nodes', 'w-1', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
      return { how: 'exited', exitCode: 0, output: '' };
    };
    const result = stopped(await acting.apply(drainPlanFor(acting, ['w-1'])));
    assert.equal(result.step, 'w-1/restart');
    assert.ok(marksOn(acting, 'w-1').includes('cordoned') && marksOn(acting, 'w-1').includes('oakum.dev/last-restart'));
  });

  it('rides over an API server that restarts, at any request', async () => {
    const { requests } = await requestsOf();
    for (let at = 2; at < requests; at += 5) {
      const acting = actingWorld(['worker-1', 'worker-2']);
      acting.world.addPod('worker-1', { name: 'a' });
      let [seen, until] = [0, Infinity];
      acting.world.fault = request => {
        if (!isInBackground(request) && acting.log.lines.length > 1 && seen++ === at) until = acting.clock.now() + 30;
        return until !== Infinity && acting.clock.now() < until ? 'no-answer' : undefined;
      };
      const result = await acting.apply(drainPlanFor(acting, ['worker-1']));
      assert.deepEqual([result, acting.restarts], [{ kind: 'done', wasDone: false }, ['worker-1']], `request ${at}`);
      assert.deepEqual(marksOn(acting, 'worker-1'), ['oakum.dev/last-restart'], `request ${at}`);
    }
  });

  it('undoes nothing in another cluster, whatever the log says', async () => {
    const acting = actingWorld(['worker-1']);
    const stop = new AbortController();
    acting.world.addPod('worker-1', { name: 'a', spec: { terminationGracePeriodSeconds: 100 } });
    const plan = drainPlanFor(acting, ['worker-1']);
    void acting.clock.sleep(20, stop.signal).then(() => stop.abort());
    await acting.apply(plan, { signal: stop.signal });
    const staging = actingWorld(['worker-1']);
    staging.world.change('namespaces', 'kube-system', { metadata: { uid: 'staging' } });
    staging.log.lines.push(...acting.log.lines);
    const aborted = await staging.abort(plan);
    assert.deepEqual([aborted.kind, staging.log.lines.length], ['refused', acting.log.lines.length]);
    assert.match(JSON.stringify(aborted), /https:\/\/world is another; nothing was done/);
    assert.ok(staging.world.requests.every(({ method }) => method === 'GET'));
    assert.ok(marksOn(acting, 'worker-1').includes('cordoned'));
  });

  it('stops at the first failure of a command, says its last line, and leaves the rest alone', async () => {
    const acting = actingWorld(['w-1', 'w-2']);
    acting.onCommand = async () => ({ how: 'exited', exitCode: 255, output: 'banner\nssh: connect: timed out\n' });
    const result = stopped(await acting.apply(planFor(acting, ['w-1', 'w-2'])));
    assert.match(result.detail, /exit code 255: ssh: connect: timed out/);
    assert.deepEqual([acting.restarts, marksOn(acting, 'w-1'), marksOn(acting, 'w-2')], [[], [], []]);
  });

  it('leaves open whether a command that failed restarted the kubelet when it is told to stop before it knows', async () => {
    const acting = actingWorld(['worker-1']);
    const stop = new AbortController();
    acting.onCommand = async () => {
      void acting.clock.sleep(5, new AbortController().signal).then(() => stop.abort());
      return { how: 'exited', exitCode: 255, output: '' };
    };
    const plan = planFor(acting, ['worker-1']);
    const result = stopped(await acting.apply(plan, { signal: stop.signal }));
    assert.deepEqual([result.why, result.undone], ['interrupted', []]);
    acting.restart('worker-1');
    assert.equal((await acting.apply(plan)).kind, 'done');
    assert.deepEqual(acting.restarts, ['worker-1']);
  });

  it('leaves everything for a resumed run when the API server goes away', async () => {
    const acting = actingWorld(['worker-1']);
    acting.world.addPod('worker-1', { name: 'a', spec: { terminationGracePeriodSeconds: 5 } });
    const plan = drainPlanFor(acting, ['worker-1']);
    let isDead = false;
    acting.world.fault = ({ path }) => {
      if (path.endsWith('/eviction')) isDead = true;
      return isDead ? 'no-answer' : undefined;
    };
    const result = stopped(await acting.apply(plan));
    assert.deepEqual([result.why, result.undone, acting.restarts], ['no-answer', [], []]);
    acting.world.fault = undefined;
    assert.ok(marksOn(acting, 'worker-1').includes('cordoned'));
    assert.equal((await acting.apply(plan)).kind, 'done');
    assert.deepEqual([acting.restarts, marksOn(acting, 'worker-1')], [['worker-1'], ['oakum.dev/last-restart']]);
  });

  it('begins nothing more once it is told to stop, at any request, and is resumed', async () => {
    const { requests } = await requestsOf();
    for (let at = 0; at < requests; at++) {
      const acting = actingWorld(['worker-1', 'worker-2']);
      for (const name of ['a', 'b']) acting.world.addPod('worker-1', { name });
      const plan = drainPlanFor(acting, ['worker-1']);
      const stop = new AbortController();
      let [seen, records] = [0, Infinity];
      acting.world.fault = request => {
        if (isInBackground(request) || seen++ !== at) return undefined;
        records = acting.log.lines.length;
        stop.abort();
        return undefined;
      };
      const result = await acting.apply(plan, { signal: stop.signal });
      assert.ok(seen > at, `request ${at} was not made`);
      assert.ok(!acting.log.kinds().slice(records).includes('step-began'), `begun after a stop at request ${at}`);
      // After the last step there is nothing left to stop.
      if (result.kind !== 'done') {
        const { why, undone } = stopped(result);
        assert.deepEqual([why, undone], ['interrupted', []], `request ${at}`);
      }
      acting.world.fault = undefined;
      assert.equal((await acting.apply(plan)).kind, 'done', `request ${at}`);
      assert.deepEqual(acting.restarts, ['worker-1'], `request ${at}`);
      assert.deepEqual(marksOn(acting, 'worker-1'), ['oakum.dev/last-restart'], `request ${at}`);
    }
  });

  it('is interrupted, not failed, when the world cannot be read or changed after it was told to stop', async () => {
    for (const answer of ['no-answer', 'cordon'] as const) {
      const acting = actingWorld(['worker-1', 'worker-2']);
      const plan = planFor(acting, ['worker-1']);
      const stop = new AbortController();
      acting.world.fault = ({ method, path }) => {
        const isRead = method === 'GET' && path.includes('/nodes/worker-1');
        if (!isRead || !acting.log.kinds().includes('step-ended')) return undefined;
        stop.abort();
        acting.world.fault = undefined;
        if (answer === 'no-answer') return answer;
        acting.world.change('nodes', 'worker-1', { spec: { unschedulable: true } });
        return undefined;
      };
      const result = stopped(await acting.apply(plan, { signal: stop.signal }));
      assert.deepEqual([result.why, acting.restarts, stop.signal.aborted], ['interrupted', [], true], answer);
    }
  });

  it('stops when it is told to, and abort undoes what can be undone', async () => {
    const acting = actingWorld(['worker-1']);
    acting.world.addPod('worker-1', { name: 'a', spec: { terminationGracePeriodSeconds: 100 } });
    const plan = drainPlanFor(acting, ['worker-1']);
    const stop = new AbortController();
    void acting.clock.sleep(20, stop.signal).then(() => stop.abort());
    const result = stopped(await acting.apply(plan, { signal: stop.signal }));
    assert.deepEqual([result.why, result.undone], ['interrupted', []]);
    assert.ok(marksOn(acting, 'worker-1').includes('cordoned'));
    const aborted = await acting.abort(plan);
    assert.ok(aborted.kind === 'undone');
    assert.deepEqual(
      aborted.undone.map(({ step, outcome }) => `${step} ${outcome}`),
      ['worker-1/drain cannot', 'worker-1/cordon undone', 'worker-1/announce undone'],
    );
    assert.deepEqual(marksOn(acting, 'worker-1'), []);
    assert.match(JSON.stringify(await acting.apply(plan)), /was aborted/);
  });
});

async function requestsOf(): Promise<{ requests: number; records: number }> {
  const acting = actingWorld(['worker-1', 'worker-2']);
  for (const name of ['a', 'b']) acting.world.addPod('worker-1', { name });
  await acting.apply(drainPlanFor(acting, ['worker-1']));
  const requests = acting.world.requests.filter(request => !isInBackground(request));
  return { requests: requests.length, records: acting.log.lines.length };
}

/** In the background, at times that differ from run to run. */
function isInBackground({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return (method === 'PUT' && path.includes('leases')) || path.includes('watch=1');
}
