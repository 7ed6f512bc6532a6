/** Whoever can write to the store of a watch gets nothing done by it that its people did not approve. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnyFile, resealed, resealedWithCare, SMALL_DRAIN } from '../../../test/double/small-plan.ts';
import { INCIDENT, watchedWorld } from '../../../test/double/world/watched-world.ts';
import { memoryStore } from '../../watch/io/memory-store.ts';

const SHELL = { kind: 'command', argv: ['sh', '-c', 'id > pwned'] };
const STEP = { id: 'plan/announce', kind: 'announce', node: null, sentence: 'annotates worker-1', call: SHELL };
const DELETE = {
  kind: 'request',
  method: 'DELETE',
  path: '/api/v1/namespaces/kube-system',
  contentType: null,
  body: {},
};

const FORGERIES: readonly [name: string, (file: AnyFile) => void, RegExp][] = [
  ['a command before everything', file => (file['before'] = [STEP]), /before is not a field of a plan/],
  [
    'a namespace deleted before everything',
    file => (file['before'] = [{ ...STEP, call: DELETE }]),
    /before is not a field/,
  ],
  ['steps of its own', file => (file['nodes'][0].steps = [STEP]), /nodes\.0\.steps is not a field/],
  [
    'a command of its own',
    file => (file['calls'][2] = 'worker-1/restart: run sh -c id'),
    /what would be done is .*ssh worker-1 restart/,
  ],
  ['no lock', file => (file['policy'].lock.name = 'mine'), /policy\.lock\.name/],
  [
    'another lock',
    file => (file['policy'].lock.namespace = 'default'),
    /the file says .*namespaces\/oakum.*namespaces\/default/,
  ],
  [
    'no conditions',
    file => (file['policy'].maxNotReadyPercent = 100),
    /not their conditions or their order|not that of what would be done/,
  ],
  [
    'no cool-down',
    file => (file['policy'].coolDownSeconds = 0),
    /the budget or the lock of the plan is not that of this server/,
  ],
  ['another node', file => (file['nodes'][0].node = 'worker-2'), /what would be done is .*worker-2/],
  ['a path for a node', file => (file['nodes'][0].node = '../namespaces/kube-system'), /must be a name of Kubernetes/],
  ['any cluster', file => (file['cluster'].uid = null), /cluster\.uid/],
  ['another way', file => (file['via'] = 'print'), /what would be done is|in another way than the plan says/],
  [
    'a harmless summary',
    file => (file['summary'] = 'Annotates worker-1.'),
    /its summary is not that of what would be done/,
  ],
];

/** Everything that follows from them fits: what a person reads is what they are. */
const MADE_WITH_CARE: typeof FORGERIES = [
  [
    'the address of another',
    file => (file['nodes'][0].address = 'worker-2'),
    /the address of worker-1 is worker-1, and worker-2 in the plan/,
  ],
  [
    'the operating system of another',
    file => (file['nodes'][0].distribution = 'talos'),
    /is run as by systemd, and as by talos in the plan/,
  ],
  ['another cluster', file => (file['cluster'].uid = 'other'), /is another; nothing was done/],
  ['no conditions', file => (file['policy'].maxNotReadyPercent = 100), /the budget or the lock of the plan/],
  ['no cool-down', file => (file['policy'].coolDownSeconds = 0), /the budget or the lock of the plan/],
  ['another lock', file => (file['policy'].lock.namespace = 'default'), /the budget or the lock of the plan/],
  [
    'pods that nothing brings back',
    file => (file['drain'] = { ...SMALL_DRAIN, force: true }),
    /the plan evicts pods in another way than this server does/,
  ],
  ['a plan from the future', file => (file['createdAt'] = '2099-01-01T00:00:00Z'), /from the future/],
];

describe('a plan that someone put into the store', () => {
  for (const [name, forge, why] of [
    ...FORGERIES.map(([named, change, reason]) => [named, (file: object) => resealed(file, change), reason] as const),
    ...MADE_WITH_CARE.map(
      ([named, change, reason]) =>
        [
          `${named}, with care`,
          (file: object) => resealedWithCare(file, 'ssh {node} restart', change),
          reason,
        ] as const,
    ),
  ])
    it(`is refused with its reason: ${name}`, async () => {
      const watched = watchedWorld();
      const made = await watched.make(watched.plans());
      const [stored] = await watched.store.records({ kind: 'plan' });
      const store = memoryStore();
      store.put({ kind: 'plan', record: { ...stored, document: forge(stored.document) } });
      await store.commit();
      const asked = watched.world.requests.length;
      const plans = watched.plans({ mayAct: true, ports: { store } });
      const view = (await plans.view(INCIDENT))?.plans[0];
      const approval = { by: 'kim', hash: view?.hash ?? made.hash, confirm: view?.node ?? 'worker-1' };
      const answer = await plans.apply(made.id, approval);
      const said =
        answer !== undefined && 'refused' in answer ? answer.refused : (await watched.untilIdle(plans)).stateText;
      assert.match(said, why);
      assert.deepEqual(watched.restarts, []);
      const changes = watched.world.requests
        .slice(asked)
        .filter(({ method, path }) => method !== 'GET' && !path.endsWith('reviews'));
      assert.deepEqual(changes, []);
    });

  it('shows the calls that this server would make, and is approved by their hash alone', async () => {
    const watched = watchedWorld();
    const plans = watched.plans({ mayAct: true });
    const plan = await watched.make(plans);
    const calls = plan.steps.flatMap(step => step.calls);
    assert.ok(calls.includes('run ssh worker-1 restart'), calls.join('\n'));
    // The approval of what this server did, given to one that was started with another command.
    const other = watched.plans({ mayAct: true, template: 'ssh {node} reboot' });
    const shown = (await other.view(INCIDENT))?.plans[0];
    assert.deepEqual([shown?.canApply, /what would be done is/.test(shown?.stateText ?? '')], [false, true]);
    await other.apply(plan.id, { by: 'kim', hash: plan.hash, confirm: 'worker-1' });
    assert.deepEqual(watched.restarts, []);
  });
});
