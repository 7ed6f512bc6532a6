/**
 * The architecture as a test. The rules are in rules/, their records in records/. planted/ has offences that they must
 * find: each alone on a bare tree, where nothing else may be found, and then all among the real sources.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from './judge.ts';
import { batchesOf, PLANTS, SUITES } from './planted/all.ts';
import { type Plant, TARGETS } from './planted/plant.ts';
import { readTexts, readTree, type Tree } from './read/tree.ts';
import { readRecords, type Records } from './records.ts';
import { offenceText } from './rules/offence.ts';

/** Whether an outdated record fails the test, or is only printed. */
const RECORDS_ARE_ENFORCED = true;

/** Known offences are listed by file name. */
const MOVED = 'If files were only moved or renamed: npm run architecture -- write';

const NO_RECORDS: Records = { arrows: [], known: [], longFiles: new Map() };

describe('architecture', () => {
  const tree = readTree();
  const records = readRecords();
  const { offences, differences } = judge(tree, records);

  it('breaks no rule', () => {
    assert.ok(tree.size > 500, 'the sources were found');
    assert.ok(offences.length === 0, `\n${offences.map(offenceText).join('\n')}\n${MOVED}`);
  });

  it('matches the records', () => {
    const text = [...differences, 'to bring the records up to date: npm run architecture -- write'].join('\n');
    if (RECORDS_ARE_ENFORCED) assert.deepEqual(differences, [], text);
    else if (differences.length > 0) process.stdout.write(`architecture: the records are out of date\n${text}\n`);
  });

  const [targets, ...planted] = readTexts([TARGETS, ...PLANTS.map(({ files }) => files)]);
  const treeOf = (plant: Plant): Tree => planted[PLANTS.indexOf(plant)];

  for (const [area, plants] of SUITES) {
    describe(`planted ${area}`, () => {
      for (const plant of plants) {
        it(plant.name, () => {
          const found = offencesIn(new Map([...targets, ...treeOf(plant)]), NO_RECORDS);
          assert.deepEqual(missingFrom(found, plant), [], `not found; what was found:\n${found.join('\n')}`);
          assert.equal(found.length, plant.offences.length, `found too much:\n${found.join('\n')}`);
        });
      }
    });
  }

  it('finds every planted offence among the real sources', () => {
    const [withOffence, without] = [true, false].map(is => PLANTS.filter(plant => plant.offences.length > 0 === is));
    for (const batch of batchesOf(withOffence)) {
      const found = offencesIn(new Map([...tree, ...targets, ...batch.flatMap(plant => [...treeOf(plant)])]), records);
      assert.deepEqual(
        batch.flatMap(plant => missingFrom(found, plant)),
        [],
      );
    }
    const before = offencesIn(new Map([...tree, ...targets]), records);
    for (const batch of batchesOf(without)) {
      const found = offencesIn(new Map([...tree, ...targets, ...batch.flatMap(plant => [...treeOf(plant)])]), records);
      assert.deepEqual(found, before);
    }
  });
});

/** Without line numbers. Planted files need no importer, unless that is what they test. */
function offencesIn(tree: Tree, records: Records): string[] {
  const { offences } = judge(tree, records, path => /\bplanted\b|\binnocent\b/.test(path));
  return offences.map(offence => offenceText({ ...offence, line: 0 }));
}

function missingFrom(found: readonly string[], plant: Plant): string[] {
  return plant.offences.filter(expected => !found.some(text => text.startsWith(expected)));
}
