import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { partsOfFleet } from './read-fleet-history.ts';

describe('the parts of a fleet', () => {
  it('have at most so many targets', () => {
    const targets = Array.from({ length: 450 }, (_, i) => ({ node: '', instance: `10.0.${i}.1:10250` }));
    const parts = partsOfFleet(targets, 200);
    assert.deepEqual(
      parts.map(part => part.length),
      [200, 200, 50],
    );
    assert.equal(new Set(parts.flat()).size, 450);
  });

  it('keep together what may have one name: the processes of a node, an address in two clusters', () => {
    const targets = [
      { node: 'b', instance: '10.0.0.2:10250' },
      { node: 'a', instance: '10.0.0.1:10250' },
      { node: 'z', instance: '10.0.0.1:10250' },
      { node: 'a', instance: '10.0.0.1:9100' },
      { node: 'c', instance: '10.0.0.3:10250' },
      { node: '', instance: '' },
    ];
    assert.deepEqual(partsOfFleet(targets, 2), [
      ['10.0.0.1:10250', '10.0.0.1:9100'],
      ['10.0.0.2:10250', '10.0.0.3:10250'],
    ]);
  });

  it('may be larger than asked for, if one node has more', () => {
    const targets = [1, 2, 3].map(port => ({ node: 'a', instance: `a:${port}` }));
    assert.deepEqual(partsOfFleet(targets, 2), [['a:1', 'a:2', 'a:3']]);
    assert.deepEqual(partsOfFleet([], 2), []);
  });
});
