/** Recordings of a daemon that keeps 64 KiB every 100 ms, 2,250 MiB an hour (lab/go/keeper). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis, Finding } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

const KEEPER = fileURLToPath(new URL('../../../test/fixtures/captures/keeper/', import.meta.url));
const TRUE_BYTES_PER_HOUR = 10 * 3600 * 64 * 1024;

function itemsOf(folder: string, wanted: RegExp = /./): PileItem[] {
  return readdirSync(join(KEEPER, folder))
    .filter(name => wanted.test(name))
    .map(name => {
      const bytes = readFileSync(join(KEEPER, folder, name));
      const plain = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      return { kind: 'member', path: `${folder}/${name}`, bytes: plain, mtimeSeconds: undefined, damage: undefined };
    });
}

async function analyze(items: readonly PileItem[]): Promise<Analysis> {
  async function* all(): AsyncGenerator<PileItem> {
    yield* items;
  }
  return analyzePile(await readPile(all(), { families: familiesOf }), { catalogue: [] });
}

function keeperIn({ findings }: Analysis): Finding {
  const found = findings.find(({ family }) => family.title === 'main.keep');
  assert.ok(found);
  return found;
}

describe('captures a short time apart', () => {
  for (const folder of ['gap20', 'gap60']) {
    it(`tell the rate within a tenth (${folder})`, async () => {
      const { growth, verdict } = keeperIn(await analyze(itemsOf(folder)));
      const { perHour, perHourRange } = growth ?? {};
      assert.ok(Math.abs((perHour ?? 0) / TRUE_BYTES_PER_HOUR - 1) < 0.1, `${perHour}`);
      assert.ok(perHourRange && perHourRange[0] < TRUE_BYTES_PER_HOUR && TRUE_BYTES_PER_HOUR < perHourRange[1]);
      assert.equal(verdict, 'watch', 'a cache that fills looks the same after a minute');
    });
  }

  it('say how uncertain the rate is where the live heap is not counted', async () => {
    const { growth } = keeperIn(await analyze(itemsOf('gap60', /^heap-\d|MANIFEST/)));
    const [low, high] = growth?.perHourRange ?? [0, 0];
    assert.ok(low < TRUE_BYTES_PER_HOUR && TRUE_BYTES_PER_HOUR < high);
    assert.ok(high - low > 0.2 * TRUE_BYTES_PER_HOUR, 'by some 70 samples');
  });

  it('tell no rate where nothing says which collections they show', async () => {
    const { growth } = keeperIn(await analyze(itemsOf('gap60', /^heap-\d/)));
    assert.equal(growth?.perHour, null);
  });
});

describe('profiles of one garbage collection', () => {
  it('are one observation, and never say that nothing grows', async () => {
    const analysis = await analyze(itemsOf('no-gc'));
    assert.equal(keeperIn(analysis).growth, null);
    assert.match(analysis.reasons.join('\n'), /2 heap profiles show the same garbage collection: they are one/);
    assert.ok(!analysis.reasons.some(reason => /grows beyond chance|compared over/.test(reason)));
    const heap = analysis.ledgers.find(({ resource }) => resource === 'heap');
    assert.deepEqual(
      heap?.vetoes.map(({ kind }) => kind),
      ['same-collection'],
    );
  });

  it('are told by what they hold, too, where no number is known', async () => {
    const analysis = await analyze(itemsOf('no-gc', /^heap-\d/));
    assert.match(analysis.reasons.join('\n'), /show the same garbage collection/);
  });
});
