import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { goModOf, KUBERNETES_VERSIONS, linkerFlagsOf, PROGRAMS } from './programs.ts';

describe('programs', () => {
  for (const version of KUBERNETES_VERSIONS) {
    it(`${version}: every staging module is of the release, and the binary says which it is`, () => {
      const goMod = goModOf(version);
      const staging = version.replace('1.', 'v0.');
      const replaced = [...goMod.matchAll(/^replace (\S+) => (\S+) (\S+)$/gm)];
      assert.equal(replaced.length, 33);
      for (const [, from, to, replacement] of replaced) assert.deepEqual([to, replacement], [from, staging]);
      assert.match(goMod, new RegExp(`^require k8s.io/kubernetes v${version}$`, 'm'));
      assert.match(linkerFlagsOf(version), new RegExp(`component-base/version\\.gitVersion=v${version} `));
    });
  }

  it('are built from folders that are there', () => {
    for (const program of Object.values(PROGRAMS)) {
      if (!program.package.startsWith('./')) continue;
      assert.ok(existsSync(new URL(`go/${program.package}/main.go`, import.meta.url)), program.package);
    }
  });
});
