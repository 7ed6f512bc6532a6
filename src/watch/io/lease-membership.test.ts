/** What only Leases have; test/contract has what every membership does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SimulatedClock } from '../../../test/double/simulated-clock.ts';
import { worldSender, WORLD_ENDPOINT } from '../../../test/double/world/world-sender.ts';
import { World } from '../../../test/double/world/world.ts';
import { recordOf } from '../../base/json.ts';
import { clusterActions } from '../../live/io/kube/cluster-actions.ts';
import { leaseMembership, type LeaseMember } from './lease-membership.ts';
import type { Membership } from '../replicas/ports.ts';
import { Failure, type FailureCode } from '../../base/errors.ts';

const NAMESPACE = 'oakum';
const LEADER = 'oakum-leader';

function make() {
  const world = new World(new SimulatedClock(1_800_000_000));
  const actions = clusterActions({ endpoint: WORLD_ENDPOINT, send: worldSender(world), deadlineSeconds: 4 });
  const place = { seconds: 0, fenced: 0 as number | undefined };
  let sessions = 0;
  const join = (id: string, more: Partial<LeaseMember> = {}): Membership =>
    leaseMembership(actions, {
      namespace: NAMESPACE,
      group: 'oakum',
      id,
      session: String(++sessions),
      address: null,
      leaseSeconds: 12,
      monotonic: () => place.seconds,
      now: () => 1_800_000_000 + place.seconds,
      fencedTerm: async () => place.fenced,
      ...more,
    });
  /** Only the living beat. */
  const pass = async (seconds: number, ...living: Membership[]): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += 2) {
      place.seconds += 2;
      for (const one of living) await one.beat();
    }
  };
  return { world, join, pass, place };
}

const ids = async (membership: Membership): Promise<string> =>
  (await membership.beat()).members.map(({ id }) => id).join(' ');

async function failureOf(work: Promise<unknown>, code: FailureCode): Promise<string> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.code, code);
  return error.message;
}

describe('membership by Leases', () => {
  for (const [verb, request] of [
    ['list', /^GET .*leases\?/],
    ['get', /^GET .*leases\/./],
    ['create', /^POST/],
    ['update', /^PUT/],
  ] as const)
    it(`names the right to ${verb} leases if it is missing`, async () => {
      const { world, join } = make();
      const a = join('a');
      world.fault = ({ method, path }) =>
        request.test(`${method} ${path}`) ? { status: 403, body: { message: 'leases is forbidden' } } : undefined;
      const said = await failureOf(a.beat(), 'not-permitted');
      assert.match(
        said,
        new RegExp(`replica a may not ${verb} leases \\(coordination\\.k8s\\.io\\) in the namespace oakum`),
      );
      assert.match(said, /"oakum access --for replicas --replica-namespace oakum"/);
    });

  it('says that the namespace is missing', async () => {
    const { world, join } = make();
    world.fault = ({ method }) =>
      method === 'POST' ? { status: 404, body: { message: 'namespaces "oakum" not found' } } : undefined;
    assert.match(await failureOf(join('a').beat(), 'not-found'), /there is no namespace oakum.*--replica-namespace/);
  });

  it('reports an API server that does not answer as such', async () => {
    const { world, join } = make();
    world.fault = () => 'no-answer';
    await failureOf(join('a').beat(), 'no-answer');
    world.fault = () => ({ status: 500, body: { message: 'etcdserver: request timed out' } });
    assert.match(await failureOf(join('a').beat(), 'no-answer'), /etcdserver/);
  });

  it('sees renewals of a replica whose clock stands still', async () => {
    const { join, pass } = make();
    const [a, b] = [join('a', { now: () => 1_700_000_000 }), join('b')];
    await pass(60, a, b);
    assert.equal(await ids(b), 'a b');
    const { leader } = await b.beat();
    assert.deepEqual(leader, { id: 'a', term: 1 });
  });

  it('counts terms on from what the store has seen, if the Lease of the leader was deleted', async () => {
    const { world, join, pass, place } = make();
    const [a, b] = [join('a'), join('b')];
    await pass(4, a, b);
    place.fenced = 7;
    world.remove('leases', LEADER, NAMESPACE);
    assert.equal((await b.beat()).leader, null, 'the one who held it does not know yet');
    assert.deepEqual((await a.beat()).leader, { id: 'a', term: 8 });
    assert.deepEqual((await b.beat()).leader, { id: 'a', term: 8 });
    assert.deepEqual([await a.leadsNow(1), await a.leadsNow(8)], [false, true]);
  });

  it('lets somebody else lead if the Lease was deleted, and its holder does not come back', async () => {
    const { world, join, pass } = make();
    const [a, b] = [join('a'), join('b')];
    await pass(4, a, b);
    world.remove('leases', LEADER, NAMESPACE);
    await pass(10, b);
    assert.equal((await b.beat()).leader, null);
    await pass(4, b);
    assert.deepEqual((await b.beat()).leader, { id: 'b', term: 1 });
  });

  it('counts terms on from what the store has seen, if the Lease came from a backup', async () => {
    const { world, join, pass, place } = make();
    const [a, b] = [join('a'), join('b')];
    await pass(4, a, b);
    world.change('leases', LEADER, { spec: { holderIdentity: 'c_long-gone', leaseTransitions: 2 } }, NAMESPACE);
    place.fenced = 41;
    await pass(14, b);
    assert.deepEqual((await b.beat()).leader, { id: 'b', term: 42 });
  });

  it('knows who lives while the store does not answer, and nobody begins to lead', async () => {
    const { join, pass, place } = make();
    const [a, b, c] = [join('a'), join('b'), join('c')];
    await pass(4, a, b, c);
    place.fenced = undefined;
    await pass(16, b, c);
    const { members, leader } = await b.beat();
    assert.deepEqual([members.map(({ id }) => id), leader], [['b', 'c'], null]);
    place.fenced = 1;
    assert.deepEqual((await c.beat()).leader, { id: 'c', term: 2 });
  });

  it('keeps groups in one namespace apart', async () => {
    const { join } = make();
    const [a, b] = [join('a'), join('a', { group: 'other' })];
    assert.deepEqual([await ids(a), await ids(b)], ['a', 'a']);
    assert.deepEqual([(await a.beat()).leader?.term, (await b.beat()).leader?.term], [1, 1]);
  });

  it('goes on after its own Lease was deleted', async () => {
    const { world, join } = make();
    const a = join('a');
    await a.beat();
    world.remove('leases', 'oakum-replica-a', NAMESPACE);
    assert.equal(await ids(a), 'a');
  });

  it('leaves a Lease to the leader that it cannot delete, and beats on', async () => {
    const { world, join, pass } = make();
    const [a, b] = [join('a'), join('b')];
    await pass(4, a, b);
    world.fault = ({ method }) => (method === 'DELETE' ? { status: 403, body: {} } : undefined);
    await pass(3700, a);
    assert.equal(await ids(a), 'a');
    world.fault = undefined;
    assert.equal(await ids(a), 'a');
    const names = world.all('leases').map(lease => recordOf(lease['metadata'])['name']);
    assert.deepEqual(names.sort(), ['oakum-leader', 'oakum-replica-a']);
  });
});
