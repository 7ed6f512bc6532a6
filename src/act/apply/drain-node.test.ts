import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { DrainCall } from '../plan/plan-step.ts';
import { inTime } from '../../../test/double/world/in-time.ts';
import { smallWorld, type SmallWorld } from '../../../test/double/world/small-world.ts';
import { status } from '../../../test/double/world/world-answer.ts';
import { drainNode, type Drained } from './drain-node.ts';

const CALL: DrainCall = {
  kind: 'drain',
  node: 'worker-1',
  maxConcurrent: 2,
  retrySeconds: 60,
  gracePeriodSeconds: null,
  deleteEmptyDirData: false,
  force: false,
  pods: [],
};

interface Ran {
  readonly end: Drained;
  readonly pods: readonly string[];
  readonly progress: readonly string[];
}

async function drain(
  { clock, actions }: SmallWorld,
  call: Partial<DrainCall> = {},
  signal?: AbortSignal,
): Promise<Ran> {
  const pods: string[] = [];
  const progress: string[] = [];
  const end = await inTime(
    clock,
    drainNode({
      actions,
      clock,
      call: { ...CALL, ...call },
      timeoutSeconds: 600,
      signal: signal ?? new AbortController().signal,
      onPod: async ({ name }, outcome) => void pods.push(`${name} ${outcome}`),
      onProgress: line => void progress.push(line),
    }),
  );
  return { end, pods, progress };
}

const names = ({ world }: SmallWorld): string[] =>
  world
    .all('pods')
    .map(pod => `${textOf(recordOf(pod['metadata'])['name'])}@${textOf(recordOf(pod['spec'])['nodeName'])}`);

const owned = (kind: string, name: string): JsonRecord => ({ ownerReferences: [{ kind, name, controller: true }] });

function budget({ world }: SmallWorld, allowed: number): void {
  world.add('poddisruptionbudgets', {
    metadata: { name: 'web-pdb', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: allowed, desiredHealthy: 2, currentHealthy: 2 },
  });
}

describe('a drain', () => {
  it('evicts what may go and leaves DaemonSet and static pods', async () => {
    const small = smallWorld();
    for (const name of ['web-1', 'web-2', 'web-3']) small.world.addPod('worker-1', { name });
    small.world.add('daemonsets', { metadata: { name: 'cni', namespace: 'default' } });
    small.world.addPod('worker-1', { name: 'cni-x', metadata: owned('DaemonSet', 'cni') });
    small.world.addPod('worker-1', {
      name: 'static',
      metadata: { ownerReferences: [], annotations: { 'kubernetes.io/config.mirror': 'x' } },
    });
    const { end, pods } = await drain(small);
    assert.deepEqual(end, { kind: 'drained', detail: '3 pods evicted, 2 left where they are' });
    assert.deepEqual(names(small).sort(), ['cni-x@worker-1', 'static@worker-1']);
    assert.equal(pods.filter(pod => pod.endsWith('gone')).length, 3);
  });

  it('never touches a pod that returns elsewhere with the same name', async () => {
    const small = smallWorld(['worker-1', 'worker-2']);
    const old = small.world.addPod('worker-1', { name: 'db-0' });
    // Between the list and the eviction the pod moves.
    small.world.fault = ({ path }) => {
      if (path.endsWith('/eviction') && names(small).includes('db-0@worker-1')) {
        small.world.remove('pods', 'db-0', 'default');
        small.world.addPod('worker-2', { name: 'db-0' });
      }
      return undefined;
    };
    const { end, pods } = await drain(small);
    assert.equal(end.kind, 'drained');
    assert.deepEqual(pods, ['db-0 replaced']);
    assert.deepEqual(names(small), ['db-0@worker-2']);
    assert.notEqual(small.world.find('pods', 'db-0', 'default'), old);
    assert.equal(recordOf(small.world.find('pods', 'db-0', 'default')?.['metadata'])['deletionTimestamp'], undefined);
  });

  it('names the budget that refuses, tries for a bounded time, and begins no more evictions', async () => {
    const small = smallWorld();
    for (const name of ['web-1', 'web-2', 'web-3']) small.world.addPod('worker-1', { name });
    budget(small, 0);
    const from = small.clock.now();
    const { end, progress } = await drain(small, { maxConcurrent: 1 });
    assert.ok(end.kind === 'failed');
    assert.match(
      end.detail,
      /default\/web-1: the PodDisruptionBudget web-pdb refused it for 1m.*needs 2 healthy pods and has 2/,
    );
    assert.match(progress[0], /web-1 waits for the PodDisruptionBudget web-pdb/);
    assert.ok(small.clock.now() - from < 120);
    assert.equal(names(small).length, 3);
  });

  it('is not held up by one tight budget: the others go first, and what is said about it is true', async () => {
    const small = smallWorld();
    for (let i = 0; i < 4; i++) small.world.addPod('worker-1', { name: `web-${i}` });
    for (let i = 0; i < 6; i++)
      small.world.addPod('worker-1', { name: `free-${i}`, metadata: { labels: { app: 'free' } } });
    budget(small, 0);
    const from = small.clock.now();
    const { end, pods } = await drain(small, { maxConcurrent: 2, retrySeconds: 41 });
    assert.equal(pods.filter(pod => /^free-\d evicted$/.test(pod)).length, 6);
    assert.ok(end.kind === 'failed');
    assert.match(end.detail, /refused it for 41s: /);
    assert.ok(small.clock.now() - from <= 45, String(small.clock.now() - from));
  });

  it('says how many were evicted when a pod comes that may not be', async () => {
    const small = smallWorld();
    for (let i = 0; i < 3; i++) small.world.addPod('worker-1', { name: `web-${i}` });
    small.world.onGone = () => {
      small.world.onGone = () => {};
      small.world.addPod('worker-1', { name: 'alone', metadata: { ownerReferences: [] } });
    };
    const { end } = await drain(small);
    assert.ok(end.kind === 'failed');
    assert.match(end.detail, /alone may not be evicted \(no controller .*\); 3 pods before it were evicted$/);
  });

  it('goes on when the budget frees', async () => {
    const small = smallWorld();
    small.world.addPod('worker-1', { name: 'web-1' });
    budget(small, 0);
    void small.clock
      .sleep(20, new AbortController().signal)
      .then(() =>
        small.world.change('poddisruptionbudgets', 'web-pdb', { status: { disruptionsAllowed: 1 } }, 'default'),
      );
    assert.equal((await drain(small)).end.kind, 'drained');
  });

  it('stops before the first eviction at a pod without a controller or with local data', async () => {
    for (const [more, why] of [
      [{ metadata: { ownerReferences: [] } }, /no controller brings it back: needs --evict-unmanaged/],
      [{ spec: { volumes: [{ name: 'tmp', emptyDir: {} }] } }, /emptyDir would be lost: needs --delete-emptydir-data/],
      [{ metadata: owned('DaemonSet', 'gone') }, /DaemonSet gone is gone: needs --evict-unmanaged/],
    ] as const) {
      const small = smallWorld();
      small.world.addPod('worker-1', { name: 'web-1' });
      small.world.addPod('worker-1', { name: 'odd', ...more });
      const { end, pods } = await drain(small);
      assert.ok(end.kind === 'failed');
      assert.match(end.detail, why);
      assert.deepEqual(pods, []);
      assert.equal((await drain(small, { force: true, deleteEmptyDirData: true })).end.kind, 'drained');
    }
  });

  it('lists again: a pod that came meanwhile goes too', async () => {
    const small = smallWorld();
    small.world.addPod('worker-1', { name: 'web-1' });
    let once = true;
    small.world.onGone = () => {
      if (once) small.world.addPod('worker-1', { name: 'late' });
      once = false;
    };
    assert.deepEqual((await drain(small)).end, { kind: 'drained', detail: '2 pods evicted' });
  });

  it('repeats a request that got lost, since the UID makes that safe', async () => {
    const small = smallWorld();
    small.world.addPod('worker-1', { name: 'web-1' });
    let lost = 0;
    small.world.fault = ({ path }, done) => {
      if (!path.endsWith('/eviction') || lost++ > 0) return undefined;
      done();
      return 'no-answer';
    };
    assert.equal((await drain(small)).end.kind, 'drained');
    assert.equal(lost, 2);
  });

  it('says which right is missing, and that two budgets never allow it', async () => {
    const small = smallWorld();
    small.world.addPod('worker-1', { name: 'web-1' });
    const message = 'pods "web-1" is forbidden: User "x" cannot create resource "pods/eviction"';
    small.world.fault = ({ path }) => (path.endsWith('/eviction') ? status(403, 'Forbidden', message) : undefined);
    const { end } = await drain(small);
    assert.deepEqual(end, { kind: 'failed', why: 'forbidden', detail: `default/web-1: ${message}` });
    small.world.fault = undefined;
    budget(small, 1);
    small.world.add('poddisruptionbudgets', {
      metadata: { name: 'second', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } } },
      status: { disruptionsAllowed: 1 },
    });
    const twice = (await drain(small)).end;
    assert.ok(twice.kind === 'failed');
    assert.match(twice.detail, /more than one PodDisruptionBudget/);
  });

  it('works without the right to watch, and gives up on a pod that never ends', async () => {
    const small = smallWorld();
    small.world.addPod('worker-1', { name: 'web-1', spec: { terminationGracePeriodSeconds: 100_000 } });
    small.world.fault = ({ path }) => (path.includes('watch=1') ? status(403, 'Forbidden', 'no') : undefined);
    const { end } = await drain(small);
    assert.ok(end.kind === 'failed');
    assert.match(end.detail, /default\/web-1 is still there after 10m/);
  });

  it('ends when it is told to', async () => {
    const small = smallWorld();
    small.world.addPod('worker-1', { name: 'web-1' });
    const stop = new AbortController();
    void small.clock.sleep(5, stop.signal).then(() => stop.abort());
    assert.deepEqual((await drain(small, {}, stop.signal)).end, { kind: 'stopped' });
  });
});
