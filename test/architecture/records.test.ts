/** The records on small trees: they match the sources, and their offences can only decrease. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from './judge.ts';
import { longText } from './planted/plant.ts';
import { readTexts } from './read/tree.ts';
import type { Records } from './records.ts';
import { refreshRecords } from './refresh-records.ts';
import { offenceText } from './rules/offence.ts';

const A = 'src/base/a.ts';
const B = 'src/base/b.ts';
const C = 'src/base/c.ts';
const imports = (...specifiers: string[]): string => specifiers.map(specifier => `import '${specifier}';\n`).join('');

const [twoFolders, long, shorter, short, moved, cycleOfThree, cycleOfTwo, movedCycle, wrongArrow] = readTexts([
  { 'src/model/a.ts': imports('../base/a.ts'), 'src/server/a.ts': imports('hono', 'node:http'), [A]: '' },
  { [A]: longText(450) },
  { [A]: longText(420) },
  { [A]: longText(400) },
  { 'src/model/a.ts': longText(440) },
  { [A]: imports('./b.ts'), [B]: imports('./c.ts'), [C]: imports('./a.ts') },
  { [A]: imports('./b.ts'), [B]: imports('./a.ts'), [C]: '' },
  { 'src/base/d.ts': imports('./b.ts'), [B]: imports('./d.ts') },
  { 'src/base/a.ts': imports('../model/a.ts'), 'src/model/a.ts': '' },
]);

function records(some: Partial<Records>): Records {
  return { arrows: [], known: [], longFiles: new Map(), ...some };
}

describe('records', () => {
  const isNeeded = (): boolean => true;
  const offences = (tree: typeof long, recorded: Records): string[] =>
    judge(tree, recorded, isNeeded).offences.map(offenceText);
  /** Without the differences of the tables in rules/, which are about the real sources. */
  const differences = (tree: typeof long, recorded: Records): string[] =>
    judge(tree, recorded, isNeeded).differences.filter(text => !text.startsWith('rules/'));

  it('arrows.txt has every arrow and no other', () => {
    const arrows = ['model -> base', 'server -> hono', 'server -> node:http'];
    assert.deepEqual(differences(twoFolders, records({ arrows })), []);
    assert.deepEqual(differences(twoFolders, records({ arrows: arrows.slice(1) })), [
      'arrows.txt lacks model -> base (src/model/a.ts)',
    ]);
    assert.deepEqual(differences(twoFolders, records({ arrows: [...arrows, 'server -> base'] })), [
      'arrows.txt has server -> base, which nothing uses',
    ]);
    assert.deepEqual(refreshRecords(twoFolders, records({})).records.arrows, arrows);
  });

  it('a long file may get shorter, never longer', () => {
    const at = (lines: number): Records => records({ longFiles: new Map([[A, lines]]) });
    assert.deepEqual(offences(long, at(450)), []);
    assert.deepEqual(differences(long, at(450)), []);
    assert.deepEqual(offences(long, at(449)), [`${A}: has 450 lines, more than before; the most is 400. Split it`]);
    assert.deepEqual(offences(shorter, at(450)), []);
    assert.deepEqual(differences(shorter, at(450)), [`long-files.txt: ${A} no longer has 450 lines`]);
    assert.deepEqual(differences(short, at(450)), [`long-files.txt: ${A} no longer has 450 lines`]);
  });

  it('refreshing lowers the figures, follows a move, and adds no other long file', () => {
    const refreshed = (tree: typeof long, lines: number): [Iterable<unknown>, readonly string[]] => {
      const result = refreshRecords(tree, records({ longFiles: new Map([[A, lines]]) }));
      return [[...result.records.longFiles], result.refused.filter(text => !text.startsWith('unneeded'))];
    };
    assert.deepEqual(refreshed(shorter, 450), [[[A, 420]], []]);
    assert.deepEqual(refreshed(short, 450), [[], []]);
    assert.deepEqual(refreshed(moved, 450), [[['src/model/a.ts', 440]], []]);
    assert.deepEqual(refreshed(moved, 430), [[], ['src/model/a.ts has 440 lines']]);
    assert.deepEqual(refreshed(long, 430), [[], [`${A} has 450 lines`]]);
  });

  it('a known cycle may get smaller, never larger', () => {
    const [ofThree, ofTwo] = [records({ known: [`files ${A} ${B} ${C}`] }), records({ known: [`files ${A} ${B}`] })];
    assert.deepEqual(offences(cycleOfThree, ofThree), []);
    assert.deepEqual(differences(cycleOfThree, ofThree), []);
    assert.deepEqual(offences(cycleOfTwo, ofThree), []);
    assert.deepEqual(differences(cycleOfTwo, ofThree), [`known.txt lists what is fixed: files ${A} ${B} ${C}`]);
    assert.equal(offences(cycleOfThree, ofTwo).length, 1);
    assert.equal(offences(movedCycle, ofTwo).length, 1);
  });

  it('refreshing shrinks the known offences, follows a move, and adds nothing', () => {
    const known = (tree: typeof long, ...keys: string[]): readonly string[] =>
      refreshRecords(tree, records({ known: keys })).records.known.filter(key => !key.startsWith('unneeded'));
    assert.deepEqual(known(cycleOfTwo, `files ${A} ${B} ${C}`), [`files ${A} ${B}`]);
    assert.deepEqual(known(movedCycle, `files ${A} ${B}`), [`files ${B} src/base/d.ts`]);
    assert.deepEqual(known(cycleOfThree, `files ${A} ${B}`), []);
    assert.ok(refreshRecords(cycleOfThree, records({})).refused.includes(`files ${A} ${B} ${C}`));
    assert.deepEqual(known(twoFolders, `files ${A} ${B}`), []);
  });

  it('a known wrong arrow is not reported', () => {
    assert.deepEqual(offences(wrongArrow, records({ known: ['arrow base -> model'] })), []);
    assert.equal(offences(wrongArrow, records({ known: ['arrow model -> base'] })).length, 1);
  });
});
