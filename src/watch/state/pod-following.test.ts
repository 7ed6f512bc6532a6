import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PodFollowing } from './target-samples.ts';

function samples(count: number, pods: (i: number) => number, goroutines: (i: number) => number): PodFollowing {
  const following = new PodFollowing();
  for (let i = 0; i < count; i++) following.add({ kubelet_running_pods: pods(i), go_goroutines: goroutines(i) });
  return following;
}

describe('PodFollowing', () => {
  it('says what grew with pods, from and to', () => {
    const following = samples(
      60,
      i => 8 + i,
      i => 160 + 2 * (8 + i) + (i % 3),
    );
    assert.deepEqual(following.followed(), { resource: 'goroutines', pods: [8, 67], level: [176, 296] });
    following.reset();
    assert.equal(following.followed(), undefined);
  });

  it('says nothing of what grows at the same number of pods, or moves otherwise', () => {
    const flat = samples(
      60,
      () => 50,
      i => 300 + 10 * i,
    );
    const other = samples(
      60,
      i => 8 + i,
      i => 300 + 100 * (i % 7),
    );
    const few = samples(
      5,
      i => 8 + 10 * i,
      i => 160 + 20 * i,
    );
    for (const following of [flat, other, few]) assert.equal(following.followed(), undefined);
  });
});
