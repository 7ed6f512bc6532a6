/**
 * The architecture as a test. The rules are in rules/, their records in records/. planted/ has offences that they must
 * find: each alone on a bare tree, where nothing else may be found, and then all among the real sources.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge, offencesIn } from './judge.ts';
import { type Known, readKnown, unknownOffences } from './known.ts';
import { offenceText } from './offence.ts';
import { PLANTS, SUITES } from './planted/all.ts';
import { type Plant, TARGETS } from './planted/plant.ts';
import { readTexts, readTree, type Tree } from './read/tree.ts';
import { readRooms } from './rules/rooms.ts';

const REFRESH = 'If files were moved, or something was fixed: npm run architecture -- write';

describe('architecture', () => {
  const tree = readTree();
  const [rooms, known] = [readRooms(), readKnown()];
  const { offences, differences } = judge(tree, rooms, known);

  it('breaks no rule', () => {
    assert.ok(tree.size > 500, 'the sources were found');
    assert.ok(offences.length === 0, `\n${offences.map(offenceText).join('\n')}\n${REFRESH}`);
  });

  it('matches the table of rooms and the records', () => {
    assert.ok(differences.length === 0, `\n${differences.join('\n')}\n${REFRESH}`);
  });

  const [targets, ...planted] = readTexts([TARGETS, ...PLANTS.map(({ files }) => files)]);
  const treeOf = (plant: Plant): Tree => planted[PLANTS.indexOf(plant)];

  for (const [area, plants] of SUITES) {
    describe(`planted ${area}`, () => {
      for (const plant of plants) {
        it(plant.name, () => {
          const found = textsOf(new Map([...targets, ...treeOf(plant)]), new Map());
          assert.deepEqual(missingFrom(found, plant), [], `not found; what was found:\n${found.join('\n')}`);
          assert.equal(found.length, plant.offences.length, `found too much:\n${found.join('\n')}`);
        });
      }
    });
  }

  it('finds every planted offence among the real sources, and nothing in the near misses', () => {
    const isOffence = (plant: Plant): boolean => plant.offences.length > 0;
    const among = (plants: readonly Plant[]): string[] => {
      const files = plants.flatMap(plant => [...treeOf(plant)]);
      assert.equal(new Map(files).size, files.length, 'no two plants have a file of the same name');
      return textsOf(new Map([...tree, ...targets, ...files]), known);
    };
    const offenders = PLANTS.filter(isOffence);
    const found = among(offenders);
    assert.deepEqual(
      offenders.flatMap(plant => missingFrom(found, plant)),
      [],
    );
    assert.deepEqual(among(PLANTS.filter(plant => !isOffence(plant))), among([]));
  });

  /** Without line numbers. Planted files need no importer, unless that is what they test. */
  function textsOf(planted: Tree, allowed: Known): string[] {
    const all = offencesIn(planted, rooms, path => /\bplanted\b|\binnocent\b/.test(path));
    return unknownOffences(all, allowed).map(offence => offenceText({ ...offence, line: 0 }));
  }
});

function missingFrom(found: readonly string[], plant: Plant): string[] {
  return plant.offences.filter(expected => !found.some(text => text.startsWith(expected)));
}
