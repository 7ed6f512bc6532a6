/**
 * What acting relies on of an API server. The world of test/double passes it in memory, and the lab's real API server in
 * `npm run e2e:act`, so that tests on the double say something about the real one.
 */
import assert from 'node:assert/strict';
import { recordOf, textOf, type JsonRecord } from '../../src/base/json.ts';
import type { ClusterActions, ObjectChange, Outcome } from '../../src/live/ports.ts';

export interface ActionsUnderTest {
  readonly actions: ClusterActions;
  readonly node: string;
  /** An existing namespace that takes any pod. */
  readonly namespace: string;
  /** Makes a running pod on the node, with a label `app`; resolves when evictions see it. */
  readonly makePod: (name: string, app: string) => Promise<void>;
  /** Makes a budget that allows no disruption of `app`. */
  readonly makeBudget: (name: string, app: string) => Promise<void>;
  /** Lets time pass while it waits. */
  readonly wait: <T>(work: Promise<T>) => Promise<T>;
}

export interface ContractCase {
  readonly name: string;
  readonly run: (under: ActionsUnderTest) => Promise<void>;
}

export const clusterActionsContract: readonly ContractCase[] = [
  {
    name: 'a merge patch adds and removes an annotation, and refuses an old version',
    run: async ({ actions, node }) => {
      const before = valueOf(await actions.node(node));
      const version = recordOf(before['metadata'])['resourceVersion'];
      const set = valueOf(await actions.patchNode(node, { metadata: { annotations: { 'oakum.dev/contract': 'x' } } }));
      assert.equal(annotation(set, 'oakum.dev/contract'), 'x');
      const stale = await actions.patchNode(node, {
        metadata: { resourceVersion: version, annotations: { 'oakum.dev/contract': 'y' } },
      });
      assert.deepEqual([stale.kind, stale.kind === 'refused' && stale.status], ['refused', 409]);
      const gone = valueOf(
        await actions.patchNode(node, { metadata: { annotations: { 'oakum.dev/contract': null } } }),
      );
      assert.equal(annotation(gone, 'oakum.dev/contract'), undefined);
    },
  },
  {
    name: 'conditions are merged by their type',
    run: async ({ actions, node }) => {
      const condition = (status: string): JsonRecord => ({
        type: 'OakumContract',
        status,
        reason: 'Test',
        message: 'test',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      });
      for (const status of ['True', 'False']) {
        const patched = valueOf(await actions.patchNodeConditions(node, [condition(status)]));
        const conditions = recordOf(patched['status'])['conditions'] as JsonRecord[];
        assert.equal(conditions.filter(({ type }) => type === 'OakumContract').length, 1);
        assert.equal(conditions.find(({ type }) => type === 'OakumContract')?.['status'], status);
        assert.ok(conditions.some(({ type }) => type === 'Ready'));
      }
    },
  },
  {
    name: 'of two who write a Lease at once, one is refused',
    run: async ({ actions, namespace }) => {
      const lease = { metadata: { name: 'contract', namespace }, spec: { holderIdentity: 'a' } };
      const whole = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease };
      const made = valueOf(await actions.createLease(namespace, whole));
      refused(await actions.createLease(namespace, whole), 409);
      const mine = { ...made, spec: { holderIdentity: 'b' } };
      valueOf(await actions.replaceLease(namespace, 'contract', mine));
      refused(await actions.replaceLease(namespace, 'contract', mine), 409);
      const read = valueOf(await actions.lease(namespace, 'contract'));
      assert.equal(recordOf(read['spec'])['holderIdentity'], 'b');
      refused(await actions.lease(namespace, 'absent'), 404);
    },
  },
  {
    name: 'an eviction with another UID is refused and leaves the pod alone',
    run: async ({ actions, namespace, makePod }) => {
      await makePod('contract-uid', 'uid');
      refused(await actions.evict({ namespace, name: 'contract-uid', uid: 'another' }), 409);
      const pod = valueOf(await actions.pod(namespace, 'contract-uid'));
      assert.equal(recordOf(pod['metadata'])['deletionTimestamp'], undefined);
      refused(await actions.evict({ namespace, name: 'contract-absent', uid: 'another' }), 404);
    },
  },
  {
    name: 'a budget refuses with 429 and its name, also in a dry run; a dry run evicts nothing',
    run: async ({ actions, namespace, makePod, makeBudget }) => {
      await makePod('contract-budget', 'budget');
      const identity = { namespace, name: 'contract-budget', uid: await uidOf(actions, namespace, 'contract-budget') };
      assert.equal((await actions.evict(identity, { dryRun: true })).kind, 'done');
      const pod = valueOf(await actions.pod(namespace, 'contract-budget'));
      assert.equal(recordOf(pod['metadata'])['deletionTimestamp'], undefined, 'a dry run evicted');
      await makeBudget('contract-none', 'budget');
      for (const dryRun of [true, false]) {
        const answer = refused(await actions.evict(identity, { dryRun }), 429);
        assert.match(JSON.stringify(answer.causes), /DisruptionBudget.*contract-none/);
      }
    },
  },
  {
    name: 'a watch reports the end of an evicted pod, and ends with its signal',
    run: async ({ actions, node, namespace, makePod, wait }) => {
      await makePod('contract-watch', 'watch');
      const { version } = valueOf(await actions.podsOn(node));
      const uid = await uidOf(actions, namespace, 'contract-watch');
      const seen: ObjectChange[] = [];
      const end = new AbortController();
      const watching = actions.watchPodsOn(node, {
        version,
        seconds: 60,
        signal: end.signal,
        onChange: change => {
          seen.push(change);
          const { uid: changed } = recordOf(change.object['metadata']);
          if (change.type === 'DELETED' && changed === uid) end.abort();
        },
      });
      valueOf(await actions.evict({ namespace, name: 'contract-watch', uid }, { gracePeriodSeconds: 1 }));
      assert.equal((await wait(watching)).kind, 'done');
      assert.ok(end.signal.aborted, `no DELETED, but ${seen.map(({ type }) => type).join(', ')}`);
    },
  },
  {
    name: 'a pod is created once under a name and deleted by its UID',
    run: async ({ actions, node, namespace }) => {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'contract-made', namespace },
        spec: { nodeName: node, containers: [{ name: 'c', image: 'example.com/pause' }] },
      };
      valueOf(await actions.createPod(namespace, pod));
      assert.equal(refused(await actions.createPod(namespace, pod), 409).reason, 'AlreadyExists');
      const uid = await uidOf(actions, namespace, 'contract-made');
      refused(await actions.deletePod({ namespace, name: 'contract-made', uid: 'another' }), 409);
      valueOf(await actions.deletePod({ namespace, name: 'contract-made', uid }));
    },
  },
  {
    name: 'an Event about a node is taken',
    run: async ({ actions, node }) => {
      valueOf(
        await actions.createEvent('default', {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { generateName: 'oakum-contract-', namespace: 'default' },
          eventTime: '2026-01-01T00:00:00.000000Z',
          reportingController: 'oakum.dev/apply',
          reportingInstance: 'contract',
          action: 'Test',
          reason: 'Test',
          regarding: { apiVersion: 'v1', kind: 'Node', name: node, uid: node },
          note: 'test',
          type: 'Normal',
        }),
      );
    },
  },
];

function valueOf<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.kind === 'done', outcome.kind === 'done' ? '' : outcome.message);
  return outcome.value;
}

function refused(outcome: Outcome, status: number): Extract<Outcome, { kind: 'refused' }> {
  assert.equal(outcome.kind, 'refused');
  assert.ok(outcome.kind === 'refused');
  assert.equal(outcome.status, status, outcome.message);
  return outcome;
}

async function uidOf(actions: ClusterActions, namespace: string, name: string): Promise<string> {
  return textOf(recordOf(valueOf(await actions.pod(namespace, name))['metadata'])['uid']);
}

function annotation(node: JsonRecord, name: string): unknown {
  return recordOf(recordOf(node['metadata'])['annotations'])[name];
}
