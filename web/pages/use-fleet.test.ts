import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFilter, rowsQuery } from './use-fleet.ts';
import { fleetParameters } from '../../src/watch/server/parameters.ts';

describe('the filter in the address', () => {
  it('is asked of the server as it is', () => {
    const asked = (address: string) => {
      const { query } = fleetParameters(new URL(`http://x/?${rowsQuery(readFilter(new URLSearchParams(address)))}`));
      return [query.search, query.verdicts, query.is, query.sort];
    };
    assert.deepEqual(asked(''), ['', [], [], 'worst']);
    assert.deepEqual(asked('q=V2+leak&v=watch,leak&is=pool:b&is=image:a:1&sort=name'), [
      'V2 leak',
      ['leak', 'watch'],
      [
        ['pool', 'b'],
        ['image', 'a:1'],
      ],
      'name',
    ]);
    // What the server would refuse.
    const odd = `q=${'x'.repeat(300)}&v=bad,leak&is=pool&is=:x&sort=nonsense${'&is=a:1'.repeat(40)}`;
    const [search, verdicts, is, sort] = asked(odd);
    assert.deepEqual([String(search).length, verdicts, sort], [200, ['leak'], 'worst']);
    assert.deepEqual([is?.length, is?.[0]], [16, ['pool', '']]);
  });
});
