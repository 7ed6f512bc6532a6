import assert from 'node:assert/strict';
import { it } from 'node:test';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { encodeText } from '../../base/text.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

function goroutines(count: number): Uint8Array {
  const stack = `${count} @ 0x43e 0x44e\n#\t0x43e\tmain.leak+0x1\t/a/m.go:7\n#\t0x44e\tmain.serve+0x2\t/a/m.go:9\n`;
  return encodeText(`goroutine profile: total ${count}\n${stack}`);
}

type File = readonly [path: string, count: number, mtimeSeconds: number];

const analyze = (...files: readonly File[]): Promise<Analysis> => analyzeAs(files, index => index);
const analyzeFolder = (...files: readonly File[]): Promise<Analysis> => analyzeAs(files, () => 0);

async function analyzeAs(files: readonly File[], argumentOf: (index: number) => number): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [index, [path, count, mtimeSeconds]] of files.entries()) {
      const argument = argumentOf(index);
      yield { kind: 'member', path, bytes: goroutines(count), argument, mtimeSeconds, damage: undefined };
    }
  }
  return analyzePile(await readPile(items(), { families: familiesOf }), { catalogue: [] });
}

const NOW = 1_794_770_000;

it('grow in the order given, although the first was touched', async () => {
  const { verdict, reasons } = await analyze(['x/a.txt', 59, NOW], ['x/b.txt', 485, NOW - 9000]);
  assert.equal(verdict, 'watch');
  assert.match(reasons.join('\n'), /goroutines 59 -> 485 over 2 snapshots, in the order given/);
});

it('say what their order rests on', async () => {
  const byName = await analyze(['after/a.txt', 485, NOW - 9000], ['before/a.txt', 59, NOW]);
  assert.match(byName.reasons.join('\n'), /goroutines 59 -> 485 over 2 snapshots, in the order that their names tell/);
  const ofOneFolder = await analyzeFolder(['x/a.txt', 485, NOW], ['x/b.txt', 59, NOW - 9000]);
  assert.match(ofOneFolder.reasons.join('\n'), /59 -> 485 over 2 snapshots, in the order of the times of the files/);
});

it('do not prove that anything recovered', async () => {
  const undated = await analyze(['x/a.txt', 485, NOW - 9000], ['x/b.txt', 59, NOW]);
  assert.equal(undated.verdict, 'unknown');
  assert.doesNotMatch(JSON.stringify(undated), /recovered/);
  const dated = await analyze([`x/a-${NOW - 9000}.txt`, 485, NOW], [`x/b-${NOW}.txt`, 59, NOW]);
  assert.match(JSON.stringify(dated), /recovered/);
});
