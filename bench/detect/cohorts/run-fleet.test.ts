import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runRolloutFleet } from './run-fleet.ts';
import { makeRolloutFleet, ROLLOUT_HOURS } from './simulate/fleet.ts';
import { HEALTHY_KINDS, LEAK_KINDS } from './simulate/rollout-kinds.ts';

describe('simulated rollouts', () => {
  it('reach as many canaries as they say, and leak only there', () => {
    for (const kind of [...LEAK_KINDS, ...HEALTHY_KINDS]) {
      const { nodes, doneHours } = makeRolloutFleet(kind, 5, 60, 600);
      const canaries = nodes.filter(({ isCanary }) => isCanary);
      const [attribute = '', value] = kind.standing ?? [];
      const having = nodes.filter(({ attributes }) => attributes[attribute] === value);
      assert.equal(canaries.length, kind.standing === undefined ? kind.canaries : having.length, kind.name);
      assert.ok(canaries.length > 0 && canaries.length < nodes.length, kind.name);
      const [needed = '', only] = kind.leaksOnlyOn ?? [];
      const guilty = canaries.filter(
        ({ attributes }) => kind.leak !== undefined && (needed === '' || attributes[needed] === only),
      );
      assert.deepEqual(
        nodes.filter(({ leaks }) => leaks),
        guilty,
        `${kind.name}: the truth`,
      );
      assert.ok(doneHours >= ROLLOUT_HOURS && doneHours <= ROLLOUT_HOURS + 6);
      if (kind.standing !== undefined) continue;
      for (const { changes } of canaries)
        assert.ok(changes.some(({ attributes }) => Object.keys(kind.changes).every(key => key in attributes)));
    }
  });

  it('are the same for the same seed', () => {
    const [kind] = LEAK_KINDS;
    const changes = (seed: number): string =>
      JSON.stringify(makeRolloutFleet(kind, seed, 20, 600).nodes.map(one => one.changes));
    assert.equal(changes(3), changes(3));
    assert.notEqual(changes(3), changes(4));
  });

  it('are scored: a leaking version is proved and named, a healthy one is not', () => {
    const leaking = runRolloutFleet(LEAK_KINDS[0], 1, 30);
    assert.equal(leaking.isRight, true);
    assert.ok((leaking.provedHours ?? Infinity) <= 24, `${leaking.provedHours}`);
    assert.deepEqual(runRolloutFleet(HEALTHY_KINDS[0], 1, 30).wrong, []);
  });
});
