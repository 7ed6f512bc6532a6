/** Verdicts on recordings of programs of known truth: docs/zoo.md says what they are. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { memoryIo } from '../double/memory-io.ts';
import { ZOO_RECORDINGS } from '../places.ts';

interface Truth {
  readonly truth: string;
  readonly counted?: { readonly leaked: number };
}

/** What is still judged wrong. A name may only be taken out. */
const WRONG = new Set<string>();

const names = readdirSync(ZOO_RECORDINGS)
  .filter(file => file.endsWith('.truth.json'))
  .map(file => file.slice(0, -'.truth.json'.length));

function truthOf(name: string): Truth {
  return JSON.parse(readFileSync(join(ZOO_RECORDINGS, `${name}.truth.json`), 'utf8')) as Truth;
}

async function verdictOn(name: string): Promise<string> {
  const io = memoryIo();
  await run(['analyze', join(ZOO_RECORDINGS, name), '-o', 'json'], io);
  return (JSON.parse(io.out()) as { readonly verdict: string }).verdict;
}

describe('recordings of the zoo', () => {
  it('say what their programs counted themselves', () => {
    for (const name of names) {
      const { truth, counted } = truthOf(name);
      if (counted === undefined) continue;
      assert.equal(counted.leaked > 0, truth === 'leak' || truth === 'stopped', name);
    }
  });

  it('that are judged wrong are there', () => {
    assert.deepEqual(
      [...WRONG].filter(name => !names.includes(name)),
      [],
    );
  });

  for (const name of names) {
    const { truth } = truthOf(name);
    if (truth === 'stopped' || WRONG.has(name)) continue;
    const claim = truth === 'leak' ? 'is not called healthy or unknown' : 'is not called a leak';
    it(`${name}: ${truth}, ${claim}`, async () => {
      const verdict = await verdictOn(name);
      if (truth === 'leak') assert.match(verdict, /^(?:leak|watch)$/);
      else assert.notEqual(verdict, 'leak');
    });
  }
});
