import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { familiesOf } from './families-of.ts';
import { encodeText } from '../../base/text.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import type { PileItem } from '../pile.ts';
import { stemOf } from '../path-parts.ts';
import { type Pile, readPile } from './read-pile.ts';

const T = 1_794_770_000;

function debug1(count: number): Uint8Array {
  const stack = `${count} @ 0x43e 0x44e\n#\t0x43e\tmain.leak+0x1\t/a/m.go:7\n#\t0x44e\tmain.serve+0x2\t/a/m.go:9\n`;
  return encodeText(`goroutine profile: total ${count}\n${stack}`);
}

function debug2(count: number): Uint8Array {
  const one = (id: number): string =>
    `goroutine ${id} [select, 5 minutes]:\nmain.leak(0x1)\n\t/a/m.go:7 +0x1\nmain.serve()\n\t/a/m.go:9 +0x2\n`;
  return encodeText(Array.from({ length: count }, (_, i) => one(i + 1)).join('\n'));
}

async function pileOf(files: Readonly<Record<string, Uint8Array>>, mtimeSeconds: number | undefined): Promise<Pile> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [path, bytes] of Object.entries(files)) {
      yield { kind: 'member', path, bytes, mtimeSeconds, damage: undefined };
    }
  }
  return readPile(items(), { families: familiesOf });
}

const totals = ({ viewGroups }: Pile): number[] => viewGroups.map(({ counted }) => counted.families?.total ?? 0);

describe('captures of one moment', () => {
  it('count once, so that growth has no flat intervals', async () => {
    const once = { [`x/g-${T}.txt`]: debug1(1051), [`x/g-${T + 3600}.txt`]: debug1(10_111) };
    const repeated = {
      ...once,
      [`x/g-${T + 4}.txt`]: debug1(1052),
      [`x/d2-${T + 9}.txt`]: debug2(1050),
      [`x/g-${T + 3603}.txt`]: debug1(10_112),
    };
    const [simple, busy] = [await pileOf(once, undefined), await pileOf(repeated, undefined)];
    assert.deepEqual(totals(simple), [1051, 10_111]);
    assert.deepEqual(totals(busy), [1052, 10_112], 'the newest of equals');
    const verdicts = [simple, busy].map(pile => analyzePile(pile, { catalogue: [] }).verdict);
    assert.equal(verdicts[1], verdicts[0]);
  });

  it('are two moments if they differ, however close', async () => {
    assert.deepEqual(
      totals(await pileOf({ [`x/g-${T}.txt`]: debug1(100), [`x/g-${T + 4}.txt`]: debug1(485) }, T)),
      [100, 485],
    );
  });

  it('are not known by the dates of files', async () => {
    assert.deepEqual(totals(await pileOf({ 'x/a.txt': debug1(485), 'x/b.txt': debug1(485) }, T)), [485, 485]);
  });

  it('are dated by the one with the same name that has a time', async () => {
    // Content has a time only in a log: two dumps a day apart in one folder, and the text beside each.
    const stamped = (day: number, count: number): Uint8Array => {
      const prefix = `2026-11-${day}T10:00:00.000000Z stderr F `;
      const text = new TextDecoder().decode(debug2(count)).trimEnd();
      return encodeText(
        text
          .split('\n')
          .map(line => `${prefix}${line}\n`)
          .join(''),
      );
    };
    const pile = await pileOf(
      {
        'x/d2-a.txt': stamped(10, 20),
        'x/d1-a.txt': debug1(20),
        'x/d2-b.txt': stamped(11, 60),
        'x/d1-b.txt': debug1(60),
      },
      T,
    );
    const isDated = pile.snapshots.some(({ takenAtFrom }) => takenAtFrom === 'content');
    assert.deepEqual(totals(pile), [20, 60], `dated: ${isDated}`);
  });
});

it('the stem of a name is what is left without kind and format', () => {
  for (const [path, stem] of [
    ['x/100k-goroutine.debug1.txt', '100k'],
    ['heap-100k.gc1.pb.gz', '100k'],
    ['goroutine.debug2.txt', ''],
    ['worker-17-heap.pb.gz', 'worker-17'],
  ] as const) {
    assert.equal(stemOf(path), stem);
  }
});
