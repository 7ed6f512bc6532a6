import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { formatBytes } from '../../src/base/say.ts';
import { ATTACKS, MAX_GROWTH_BYTES, runAttacks } from './attack.ts';

const PROBES = 20;
const missing = existsSync('/proc/self/status')
  ? !existsSync('dist/cli/main.js') && 'dist/ is not built: npm run build'
  : 'no /proc to read the memory of a process from';

// How long a probe takes depends on the machine; src/watch/server/attacks.test.ts counts the work instead.
it('a server under attack stays small, and answers every probe', { skip: missing }, async () => {
  const worst = ATTACKS.filter(({ sockets }) => sockets > 500);
  assert.ok(worst.length >= 3);
  await runAttacks(worst, PROBES, ({ attack, residentGrowthBytes, failedProbes }) => {
    const name = `${attack.sockets} sockets, ${attack.name}`;
    assert.ok(residentGrowthBytes <= MAX_GROWTH_BYTES, `${name}: ${formatBytes(residentGrowthBytes)}`);
    assert.equal(failedProbes, 0, name);
  });
});
