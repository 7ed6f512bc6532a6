import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { familiesOf } from './families-of.ts';
import { ownerOf } from '../../knowledge/owner-of.ts';
import type { FamilyCount } from '../../profile/families/family.ts';
import type { PileItem } from '../pile.ts';
import { evidenceOf } from './process-evidence.ts';
import { readPile } from './read-pile.ts';

const LEAKDEMO = new URL('../../../test/fixtures/captures/leakdemo/go1.26/t3/', import.meta.url);

/** The family of listeners in the last of the snapshots, which are ten minutes apart. */
async function popOf(...formats: string[]): Promise<FamilyCount> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [i, format] of formats.entries()) {
      const bytes = new Uint8Array(readFileSync(new URL(`goroutine.${format}.txt`, LEAKDEMO)));
      const path = `demo/goroutine-${1_794_772_000 + i * 600}.txt`;
      yield { kind: 'member', path, bytes, mtimeSeconds: undefined, damage: undefined };
    }
  }
  const { snapshots, viewGroups } = await readPile(items(), { families: familiesOf });
  const [{ goroutines }] = evidenceOf(snapshots, viewGroups);
  const found = goroutines.at(-1)?.table.counts.find(({ family }) => family.frames.includes('main.(*listener).pop'));
  assert.ok(found !== undefined);
  return found;
}

describe('owner and labels', () => {
  it('are those of the newest snapshot that has them', async () => {
    const alone = await popOf('debug2');
    assert.deepEqual([alone.labelSets, alone.labelsAreOlder], [[], undefined]);
    const pop = await popOf('debug1', 'debug2');
    assert.equal(pop.count, 150, 'the count is that of the last snapshot');
    assert.deepEqual(ownerOf(pop.family, pop.labelSets), { name: 'kcp-kube-quota', inferred: false });
    assert.equal(pop.labelsAreOlder, true);
  });

  it('stay as they are if the last snapshot shows them itself', async () => {
    const pop = await popOf('debug2', 'debug1');
    assert.equal(pop.labelsAreOlder, undefined);
    assert.equal(
      pop.labelSets.reduce((sum, { count }) => sum + count, 0),
      150,
    );
    assert.deepEqual([...pop.creators.keys()], ['main.(*informer).AddEventHandler'], 'creators are carried over');
  });
});
