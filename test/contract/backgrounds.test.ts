/** The background work of a watch does the same in this process and in its thread. */
import assert from 'node:assert/strict';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { startBackground } from '../../src/cli/watch/background-client.ts';
import { realBackground } from '../watch/watch-bench.ts';
import { backgroundContract } from './background-contract.ts';

backgroundContract({ name: 'in this process', make: () => realBackground(1) });

backgroundContract({
  name: 'in another thread',
  make: () =>
    startBackground(
      {
        timeScale: 1,
        leastGrowth: {},
        limitBytesByTarget: {},
        limitBytes: undefined,
        catalogue: BUNDLED_LEAKS,
        oakumVersion: '0.0.0',
      },
      why => assert.fail(why),
    ),
});
