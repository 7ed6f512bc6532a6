import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClusterStates } from './cluster-states.ts';

describe('the clusters of a watch', () => {
  it('are reached or not, each by itself, since some time', () => {
    const clusters = new ClusterStates(['eu', 'us']);
    clusters.note('eu', null, 100);
    clusters.note('us', 'it hangs', 100);
    clusters.note('us', 'it refuses', 200);
    clusters.note('eu', null, 200);
    clusters.note('elsewhere', null, 200);
    assert.deepEqual(clusters.view([]), [
      { name: 'eu', state: 'reached', why: null, since: 100, targetCount: 0, silentCount: 0, leakCount: 0 },
      { name: 'us', state: 'not reached', why: 'it refuses', since: 100, targetCount: 0, silentCount: 0, leakCount: 0 },
    ]);
    clusters.note('us', null, 300);
    assert.equal(clusters.view([])[1].since, 300);
  });

  it('count their own targets', () => {
    const view = new ClusterStates(['eu', 'us']).view([
      { cluster: 'eu', silentWhy: undefined, verdict: { target: 'a', verdict: 'leak', resources: [] } },
      { cluster: 'eu', silentWhy: 'no answer', verdict: { target: 'b', verdict: 'watch', resources: [] } },
      { cluster: undefined, silentWhy: undefined, verdict: undefined },
    ]);
    assert.deepEqual(
      view.map(one => [one.name, one.state, one.targetCount, one.silentCount, one.leakCount]),
      [
        ['eu', 'unknown', 2, 1, 1],
        ['us', 'unknown', 0, 0, 0],
      ],
    );
  });

  it('are none if there is only one', () => assert.equal(new ClusterStates([]).isEmpty, true));
});
