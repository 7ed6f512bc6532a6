import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryStore, StoreMemory } from '../io/memory-store.ts';
import { MemoryBoard } from '../../../test/double/memory-exchange.ts';
import { SimulatedClock } from '../../../test/double/simulated-clock.ts';
import type { AlertDestination, NoticeDestination } from '../notify/destination.ts';
import { plansOfLeader } from '../../act/watch/create-watch-plans.ts';
import { fencedActions, fencedAlerts, fencedNotices, storeOfLeader, runWhileLeading } from './fenced.ts';
import type { ClusterActions } from '../../live/ports.ts';
import type { WatchPlans } from '../../act/watch/watch-plan.ts';

describe('what only the leader does', () => {
  it('begins with each of its terms, and ends with it', async () => {
    const clock = new SimulatedClock(0);
    const share: { term: number | undefined } = { term: undefined };
    const stop = new AbortController();
    const said: string[] = [];
    const log: string[] = [];
    const running = runWhileLeading(
      { share, clock, log: line => log.push(line) },
      async (term, signal) => {
        said.push(`begin ${term}`);
        if (term === 3) throw new Error('no answer');
        await clock.sleep(1e6, signal);
        said.push(`end ${term}`);
      },
      stop.signal,
    );
    const run = (seconds: number): Promise<void> => clock.runUntil(clock.now() + seconds);
    await run(10);
    assert.deepEqual(said, []);
    share.term = 1;
    await run(2);
    share.term = 2;
    await run(2);
    share.term = undefined;
    await run(2);
    assert.deepEqual(said, ['begin 1', 'end 1', 'begin 2', 'end 2']);
    share.term = 3;
    await run(8);
    assert.deepEqual(said.slice(4), ['begin 3', 'begin 3'], 'tried again after some seconds');
    assert.equal(log[0], 'as leader: no answer; will try again');
    stop.abort();
    await run(10);
    await running;
  });

  it('changes nothing in a cluster once another leads, and still reads', async () => {
    const calls: string[] = [];
    const actions = new Proxy({} as ClusterActions, {
      get: (_, method: string) => async () => {
        calls.push(method);
        return { kind: 'done', value: {} };
      },
    });
    let leads = true;
    const fenced = fencedActions(actions, async () => leads);
    const act = async (): Promise<readonly string[]> => {
      const pod = { namespace: 'a', name: 'b', uid: 'c' };
      const outcomes = [
        await fenced.patchNode('n', {}),
        await fenced.patchNodeConditions('n', []),
        await fenced.createPod('a', {}),
        await fenced.deletePod(pod),
        await fenced.evict(pod),
        await fenced.createLease('a', {}),
        await fenced.replaceLease('a', 'b', {}),
        await fenced.createEvent('a', {}),
        await fenced.request({ method: 'POST', path: '/x' }),
      ];
      return outcomes.map(({ kind }) => kind);
    };
    assert.deepEqual(new Set(await act()), new Set(['done']));
    assert.equal(calls.length, 9);
    leads = false;
    assert.deepEqual(new Set(await act()), new Set(['refused']));
    assert.equal(calls.length, 9);
    assert.equal((await fenced.request({ method: 'GET', path: '/x' })).kind, 'done');
    assert.equal((await fenced.node('n')).kind, 'done');
  });

  it('sends nothing once another leads', async () => {
    let sent = 0;
    const delivered = async () => {
      sent++;
      return { kind: 'delivered' } as const;
    };
    const alerts: AlertDestination = { name: 'am', post: delivered, silenced: async () => [] };
    const notices: NoticeDestination = { name: 'hook', kind: 'webhook', deliver: delivered };
    let leads = true;
    const mayAct = async (): Promise<boolean> => leads;
    const never = new AbortController().signal;
    const send = async () => [
      (await fencedAlerts(alerts, mayAct).post([], never)).kind,
      (await fencedNotices(notices, mayAct).deliver({} as never, never)).kind,
    ];
    assert.deepEqual(await send(), ['delivered', 'delivered']);
    leads = false;
    assert.deepEqual(await send(), ['failed', 'failed']);
    assert.equal(sent, 2);
    assert.equal(fencedAlerts(alerts, mayAct).name, 'am');
  });

  it('is written with its term, and by nobody else', async () => {
    const memory = new StoreMemory();
    const board = new MemoryBoard(() => 0, memory);
    const first = board.exchange('a').lead(1);
    let current: typeof first | undefined = first;
    const store = storeOfLeader(memoryStore(memory), () => current);
    assert.ok(store.put({ kind: 'setting', record: { key: 'notify.told', value: 'x' } }));
    assert.deepEqual(await store.commit(), { committed: true, samples: 0 });
    assert.equal((await store.records({ kind: 'setting', id: 'notify.told' }))[0]?.value, 'x');
    // A step of a plan is written down before it is done: without a commit, it is not done.
    await board.exchange('b').lead(2).commit();
    assert.ok(store.put({ kind: 'setting', record: { key: 'notify.told', value: 'y' } }));
    assert.deepEqual(await store.commit(), { committed: false, samples: 0 });
    current = undefined;
    assert.equal(store.put({ kind: 'setting', record: { key: 'notify.told', value: 'z' } }), false);
    assert.deepEqual(await store.commit(), { committed: false, samples: 0 });
    assert.equal((await store.records({ kind: 'setting', id: 'notify.told' }))[0]?.value, 'x');
  });

  it('plans are made and applied by the leader; the others say where that is', async () => {
    let made = 0;
    const plans = {
      make: async () => ({ made: ++made }),
      apply: async () => ({ made: ++made }),
      abort: async () => ({ made: ++made }),
      follow: async () => void made++,
      view: async () => undefined,
    } as unknown as WatchPlans;
    const members = [{ id: 'oakum-0', address: 'http://10.0.0.7:7777' }];
    const other = plansOfLeader(plans, { isLeader: false, leader: { id: 'oakum-0', term: 1 }, members });
    const refused = {
      refused: 'plans are made and applied by the replica that leads, oakum-0 at http://10.0.0.7:7777',
    };
    assert.deepEqual(await other.make('i-1', {} as never), refused);
    assert.deepEqual(await other.apply('p', {} as never), refused);
    assert.deepEqual(await other.abort('p', {} as never), refused);
    await other.follow();
    assert.equal(made, 0);
    assert.equal(await other.view('i-1'), undefined);
    const nobody = plansOfLeader(plans, { isLeader: false, leader: null, members });
    assert.match(JSON.stringify(await nobody.make('i-1', {} as never)), /none does now, try again in a minute/);
    const leading = plansOfLeader(plans, { isLeader: true, leader: { id: 'oakum-0', term: 1 }, members });
    await leading.make('i-1', {} as never);
    await leading.follow();
    assert.equal(made, 2);
  });
});
