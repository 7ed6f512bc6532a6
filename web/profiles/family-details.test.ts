import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { compileGoRegexp } from '../../src/profile/pprof/go-regexp.ts';
import { heaviestLeaf, nameOf, pathTo } from './call-tree.ts';
import { openProfile } from '../reader/open-profile.ts';
import { parseFrame } from '../widgets/short-names.ts';
import { stackFamilyId } from './family-details.tsx';
import { buildTree } from '../reader/profile-service.ts';

const DUMP = new URL(
  '../../test/fixtures/captures/leakdemo/go1.26-leakexp-labels/t3/goroutine.debug2.txt',
  import.meta.url,
);

it('gives a stack of the tree the id of its family', () => {
  const { opened, profile } = openProfile(new Uint8Array(readFileSync(DUMP)), 'dump.txt');
  const counts = opened.families?.counts ?? [];
  assert.ok(counts.length > 10);
  for (const { family, example } of counts) {
    assert.equal(stackFamilyId('goroutine', example.map(parseFrame)), family.id, family.title);
  }
  const options = { sampleType: 'goroutine', only: '', labels: [], roots: [], widthOf: 'after' } as const;
  const tree = buildTree(profile, undefined, options, compileGoRegexp);
  const path = pathTo(tree, heaviestLeaf(tree, 0)).map(node => ({ name: nameOf(tree, node), place: '' }));
  const id = stackFamilyId('goroutine', path.reverse());
  assert.ok(counts.some(({ family }) => family.id === id));
});
