import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { Verdict } from '../../judge/verdict.ts';
import { smallWorld } from '../../../test/double/world/small-world.ts';
import { status } from '../../../test/double/world/world-answer.ts';
import { followConditions } from './follow-condition.ts';
import type { NodeStanding } from '../views/fleet.ts';

function setUp(names: readonly string[]) {
  const { world, clock, actions } = smallWorld(names);
  const logged: string[] = [];
  const refused: (string | undefined)[] = [];
  const follower = followConditions({
    actions,
    clock,
    idOfLeak: ref => (ref === 'kubernetes#139823' ? 'kubelet-startpodsync-context' : undefined),
    log: line => void logged.push(line),
    refused: message => void refused.push(message),
  });
  const see = (): void => {
    for (const node of world.all('nodes')) follower.sawNode(node);
  };
  see();
  const started = clock.now() - 1e6;
  const standing = (node: string, verdict: Verdict, more: Partial<NodeStanding> = {}): NodeStanding => ({
    node,
    verdict,
    sentence: `live heap of ${node}: ${verdict}`,
    leakRef: null,
    incidentId: null,
    startSeconds: started,
    isOfThisLife: true,
    ...more,
  });
  const conditionsOf = (node: string): JsonRecord[] =>
    listOf(recordOf(world.find('nodes', node)?.['status'])['conditions']).map(recordOf);
  const leaking = (node: string): JsonRecord | undefined =>
    conditionsOf(node).find(({ type }) => type === 'KubeletLeaking');
  const patches = (): number => world.requests.filter(({ method }) => method === 'PATCH').length;
  return { world, clock, follower, logged, refused, see, standing, conditionsOf, leaking, patches };
}

describe('the condition of a node that leaks', () => {
  it('is set when the leak is proved, with the id of the known leak, beside the conditions of others', async () => {
    const { follower, standing, conditionsOf, leaking, world, patches, see } = setUp(['w-1', 'w-2']);
    const others = conditionsOf('w-1');
    assert.ok(others.length > 0);
    await follower.follow([standing('w-1', 'watch'), standing('w-2', 'healthy')]);
    assert.equal(patches(), 0, 'a suspicion or a healthy node is no reason to write');
    const leak = standing('w-1', 'leak', { leakRef: 'kubernetes#139823', incidentId: 'i-1' });
    await follower.follow([leak, standing('w-2', 'healthy')]);
    const { status: is, reason, message } = leaking('w-1') ?? {};
    assert.deepEqual(
      [is, reason, message],
      ['True', 'kubelet-startpodsync-context', 'kubernetes#139823: live heap of w-1: leak (incident i-1)'],
    );
    assert.deepEqual(
      conditionsOf('w-1').filter(({ type }) => type !== 'KubeletLeaking'),
      others,
    );
    assert.equal(leaking('w-2'), undefined);
    const [event] = world.all('events');
    assert.deepEqual(
      [event['reason'], event['type'], recordOf(event['regarding'])['name']],
      ['KubeletLeaking', 'Warning', 'w-1'],
    );
    // Only nodes/status is written, and only once.
    const paths = world.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
    assert.deepEqual(paths, ['/api/v1/nodes/w-1/status']);
    see();
    await follower.follow([leak]);
    assert.equal(patches(), 1);
  });

  it('stays while the target is silent or only suspected, with a heartbeat, and is cleared when it is healthy', async () => {
    const { follower, standing, leaking, clock, world, see, patches } = setUp(['w-1']);
    await follower.follow([standing('w-1', 'leak')]);
    const since = leaking('w-1')?.['lastTransitionTime'];
    await clock.runUntil(clock.now() + 700);
    for (const verdict of ['unknown', 'watch'] as const) await follower.follow([standing('w-1', verdict)]);
    assert.deepEqual([leaking('w-1')?.['status'], patches()], ['True', 1]);
    see();
    await follower.follow([standing('w-1', 'leak')]);
    assert.equal(patches(), 2);
    assert.equal(leaking('w-1')?.['lastTransitionTime'], since);
    assert.notEqual(leaking('w-1')?.['lastHeartbeatTime'], since);
    await follower.follow([standing('w-1', 'healthy')]);
    assert.deepEqual([leaking('w-1')?.['status'], leaking('w-1')?.['reason']], ['False', 'NotLeaking']);
    assert.deepEqual(
      world.all('events').map(({ reason }) => textOf(reason)),
      ['KubeletLeaking', 'KubeletLeakCleared'],
    );
    await follower.follow([standing('w-1', 'healthy')]);
    assert.equal(patches(), 3);
  });

  it('is cleared at once when the kubelet was restarted, so that nobody acts twice, and set again if it leaks again', async () => {
    const { follower, standing, leaking, clock, see } = setUp(['w-1']);
    await follower.follow([standing('w-1', 'leak')]);
    await clock.runUntil(clock.now() + 60);
    see();
    const startSeconds = clock.now();
    // The detector still says leak: it looks across the restart.
    const early = standing('w-1', 'leak', { startSeconds, isOfThisLife: false });
    await follower.follow([early]);
    assert.deepEqual([leaking('w-1')?.['status'], leaking('w-1')?.['reason']], ['False', 'Restarted']);
    see();
    await follower.follow([early]);
    assert.equal(leaking('w-1')?.['status'], 'False');
    assert.match(textOf(leaking('w-1')?.['message']), /whether the leak came back is not known yet/);
    await clock.runUntil(clock.now() + 3600);
    await follower.follow([standing('w-1', 'leak', { startSeconds })]);
    assert.deepEqual([leaking('w-1')?.['status'], leaking('w-1')?.['reason']], ['True', 'LeakProved']);
  });

  it('is cleared after a restart of the watch itself, which knows it from the node', async () => {
    const { follower, standing, leaking, see, world } = setUp(['w-1']);
    world.change('nodes', 'w-1', {
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          {
            type: 'KubeletLeaking',
            status: 'True',
            reason: 'LeakProved',
            lastTransitionTime: '2026-11-01T00:00:00Z',
            lastHeartbeatTime: '2026-11-01T00:00:00Z',
          },
        ],
      },
    });
    see();
    await follower.follow([standing('w-1', 'unknown', { startSeconds: null })]);
    assert.equal(leaking('w-1')?.['status'], 'True');
    await follower.follow([standing('w-1', 'healthy')]);
    assert.equal(leaking('w-1')?.['status'], 'False');
  });

  it('is on no more than a fifth of the nodes at once, the most urgent first', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `w-${i}`);
    const { follower, standing, leaking, logged } = setUp(names);
    const all = names.map(name => standing(name, 'leak'));
    const marked = (): string[] => names.filter(name => leaking(name)?.['status'] === 'True');
    await follower.follow(all);
    assert.deepEqual(marked(), ['w-0', 'w-1']);
    assert.match(logged.at(-1) ?? '', /8 more nodes leak and do not get the condition: at most 2 of 10/);
    await follower.follow([standing('w-0', 'healthy'), ...all.slice(1)]);
    assert.deepEqual(marked(), ['w-1', 'w-2']);
  });

  it('says which right is missing, and goes on when it is granted', async () => {
    const { follower, standing, leaking, world, refused } = setUp(['w-1', 'w-2']);
    world.fault = ({ path }) =>
      path.endsWith('/status') ? status(403, 'Forbidden', 'cannot patch nodes/status') : undefined;
    await follower.follow([standing('w-1', 'leak'), standing('w-2', 'healthy')]);
    assert.deepEqual([refused, leaking('w-1')], [['cannot patch nodes/status'], undefined]);
    world.fault = undefined;
    await follower.follow([standing('w-1', 'leak')]);
    assert.deepEqual([refused.at(-1), leaking('w-1')?.['status']], [undefined, 'True']);
    // Events are a courtesy.
    world.fault = ({ path }) => (path.endsWith('/events') ? status(403, 'Forbidden', 'no') : undefined);
    await follower.follow([standing('w-1', 'healthy')]);
    assert.equal(leaking('w-1')?.['status'], 'False');
  });
});
