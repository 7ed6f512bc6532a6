/** Goroutines that hardly ever wait like this in a healthy program are listed, however few they are. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RECORDINGS } from '../../../test/places.ts';
import { readPileFiles } from '../../evidence/io/pile.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis, Finding } from '../analysis.ts';
import { analyzePile } from './analyze-pile.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LAB = join(RECORDINGS, 'lab');
const KINDS = ['Nil', 'Empty', 'Mutex', 'RW', 'WG', 'Cond'].map(kind => `main.leak${kind}`);

async function analyze(...paths: string[]): Promise<Analysis> {
  const pile = await readPile(readPileFiles(paths), { families: familiesOf });
  return analyzePile(pile, { catalogue: BUNDLED_LEAKS });
}

const findingsOf = async (...paths: string[]): Promise<readonly Finding[]> => (await analyze(...paths)).findings;

describe('four goroutines of a kind among 485', () => {
  for (const release of ['go1.19', 'go1.23', 'go1.26']) {
    const dump = (format: string): string =>
      join(ROOT, `test/fixtures/captures/leakdemo/${release}/t3/goroutine.${format}`);

    it(`${release}: all six kinds are listed, and what nothing can wake comes first`, async () => {
      const { findings, sentence } = await analyze(dump('debug2.txt'));
      assert.match(sentence, / 8 goroutines can never run again, 4 of them in main\.leak(?:Empty|Nil) ←/);
      const few = findings.filter(({ count }) => count === 4);
      assert.deepEqual(few.map(({ family }) => family.frames.at(-1)).sort(), [...KINDS].sort());
      const first = findings.slice(0, 2).map(({ cause }) => cause?.id);
      assert.deepEqual(first.sort(), ['empty-select', 'nil-channel']);
    });

    it(`${release}: a profile beside the dump does not hide what only the dump prints`, async () => {
      const findings = await findingsOf(dump('debug0.pb.gz'), dump('debug1.txt'), dump('debug2.txt'));
      const nil = findings.find(({ family }) => family.frames.at(-1) === 'main.leakNil');
      assert.equal(nil?.family.title, 'main.leakNil ← chan receive (nil chan)');
      assert.equal(nil?.cause?.id, 'nil-channel');
    });
  }

  it('are no findings where a healthy program has them', async () => {
    for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd']) {
      assert.deepEqual(await findingsOf(join(LAB, `control-plane/end/${name}-goroutine-d2.txt.gz`)), [], name);
    }
  });
});
