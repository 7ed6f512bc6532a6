/** No known leak is seen in a program that has none. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readPileFiles } from '../../src/evidence/io/pile.ts';
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import { targetFacts } from '../../src/judge/process/target-facts.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { matchFamily } from '../../src/knowledge/match.ts';
import { ZOO_RECORDINGS } from '../places.ts';

/** More recordings than those of the repository, Debian's daemons among them. */
const BESIDE = fileURLToPath(new URL('../../../shared/zoo/', import.meta.url));

function healthyIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.truth.json'))
    .filter(file => (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { truth: string }).truth === 'healthy')
    .map(file => join(folder, file.slice(0, -'.truth.json'.length)));
}

/** What matches if every stack of it grew. */
async function matchesIn(path: string): Promise<string[]> {
  const { snapshots } = await readPile(readPileFiles([path]), { families: familiesOf });
  const facts = targetFacts(snapshots);
  const found = new Set<string>();
  for (const { families } of snapshots) {
    for (const { family, creators, states } of families?.counts ?? []) {
      const stack = {
        kind: family.kind,
        frames: family.frames,
        creators: [...creators.keys()],
        states: [...states.keys()],
      };
      for (const { id } of matchFamily({ ...stack, grows: true }, facts, BUNDLED_LEAKS)) found.add(id);
    }
  }
  assert.ok(
    snapshots.some(({ families }) => (families?.counts.length ?? 0) > 0),
    `${path} has stacks`,
  );
  return [...found];
}

describe('no known leak matches a healthy program of the zoo', () => {
  for (const path of healthyIn(ZOO_RECORDINGS))
    it(basename(path), async () => assert.deepEqual(await matchesIn(path), []));
});

const skip = existsSync(BESIDE) ? false : '../shared/zoo is missing';

describe('nor one of the recordings beside the repository', { skip }, () => {
  for (const path of skip === false ? healthyIn(BESIDE) : []) {
    it(basename(path), async () => assert.deepEqual(await matchesIn(path), []));
  }
});
