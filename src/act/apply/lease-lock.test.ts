import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordOf } from '../../base/json.ts';
import { inTime } from '../../../test/double/world/in-time.ts';
import { smallWorld, type SmallWorld } from '../../../test/double/world/small-world.ts';
import { takeLock, type LeaseLock, type LockTaken } from './lease-lock.ts';

const PLACE = { namespace: 'oakum', name: 'oakum-actions', durationSeconds: 60 };

const NEVER = { signal: new AbortController().signal };

const take = ({ actions, clock }: SmallWorld, holder: string, ended: string[] = []): Promise<LockTaken> =>
  inTime(clock, takeLock(actions, clock, { ...PLACE, holder, hasEnded: other => ended.includes(other), ...NEVER }));

async function taken(small: SmallWorld, holder: string, ended: string[] = []): Promise<LeaseLock> {
  const got = await take(small, holder, ended);
  assert.ok(got.kind === 'taken', JSON.stringify(got));
  return got.lock;
}

const pass = ({ clock }: SmallWorld, seconds: number): Promise<void> =>
  inTime(clock, clock.sleep(seconds, new AbortController().signal));

describe('the lock', () => {
  it('is held by one, released, and then free', async () => {
    const small = smallWorld();
    const first = await taken(small, 'a');
    const second = await take(small, 'b');
    assert.deepEqual([second.kind, second.kind === 'held' && second.holder], ['held', 'a']);
    await first.release();
    const lock = await taken(small, 'b');
    assert.equal(lock.whyLost(), undefined);
    const spec = recordOf(small.world.find('leases', 'oakum-actions', 'oakum')?.['spec']);
    assert.equal(spec['leaseTransitions'], 1);
  });

  it('is kept by renewing, and runs out without', async () => {
    const small = smallWorld();
    const first = await taken(small, 'a');
    first.keepRenewing();
    await pass(small, 300);
    assert.equal(first.whyLost(), undefined);
    assert.equal((await take(small, 'b')).kind, 'held');
    await first.abandon();
    await pass(small, 61);
    assert.equal((await take(small, 'b')).kind, 'taken');
  });

  it('is taken at once from a process that has ended', async () => {
    const small = smallWorld();
    await taken(small, 'plan@host/1');
    await taken(small, 'plan@host/2', ['plan@host/1']);
  });

  it('is lost when another takes it, deletes it, or the server is silent for too long', async () => {
    for (const [how, why] of [
      [
        (s: SmallWorld) => void s.world.change('leases', 'oakum-actions', { spec: { holderIdentity: 'z' } }, 'oakum'),
        /^z took it/,
      ],
      [(s: SmallWorld) => void s.world.remove('leases', 'oakum-actions', 'oakum'), /deleted the Lease/],
      [(s: SmallWorld) => void (s.world.fault = () => 'no-answer'), /could not be renewed for 6\d s/],
    ] as const) {
      const small = smallWorld();
      const lock = await taken(small, 'a');
      lock.keepRenewing();
      how(small);
      await pass(small, 90);
      assert.match(lock.whyLost() ?? '', why);
      assert.ok(lock.lost.aborted);
    }
  });

  it('survives a change of the Lease that leaves us the holder', async () => {
    const small = smallWorld();
    const lock = await taken(small, 'a');
    lock.keepRenewing();
    small.world.change('leases', 'oakum-actions', { metadata: { labels: { seen: 'yes' } } }, 'oakum');
    await pass(small, 90);
    assert.equal(lock.whyLost(), undefined);
  });

  it('is not taken from a holder who renews it, by whatever clock', async () => {
    for (const skew of [-3600, -90, 90]) {
      const small = smallWorld();
      const { world, clock } = small;
      const renew = (): void => {
        const renewTime = new Date((clock.now() + skew) * 1000).toISOString();
        const spec = { holderIdentity: 'a', leaseDurationSeconds: 60, renewTime };
        if (world.find('leases', 'oakum-actions', 'oakum') === undefined)
          world.add('leases', { metadata: { name: 'oakum-actions', namespace: 'oakum' }, spec });
        else world.change('leases', 'oakum-actions', { spec }, 'oakum');
      };
      const end = new AbortController();
      const renewing = (async () => {
        for (; !end.signal.aborted; await clock.sleep(20, end.signal)) renew();
      })();
      const got = await take(small, 'b');
      assert.deepEqual([got.kind, got.kind === 'held' && got.holder], ['held', 'a'], String(skew));
      end.abort();
      await renewing;
      await pass(small, 200);
      assert.equal((await take(small, 'b')).kind, 'taken', String(skew));
    }
  });

  it('goes to one of two who try at the same time', async () => {
    const small = smallWorld();
    const { actions, clock } = small;
    const both = ['a', 'b'].map(holder =>
      takeLock(actions, clock, { ...PLACE, holder, hasEnded: () => false, ...NEVER }),
    );
    const kinds = (await inTime(clock, Promise.all(both))).map(({ kind }) => kind);
    assert.deepEqual(kinds.sort(), ['held', 'taken']);
  });
});
