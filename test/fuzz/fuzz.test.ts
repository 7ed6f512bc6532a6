/** A short run of the fuzzer; `npm run fuzz` is the long one. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { exerciseUnchanged } from './exercise.ts';
import { loadCorpus } from './corpus.ts';
import { makeInput } from './inputs.ts';
import { runFuzz } from './run.ts';

const COUNT = 200;
/** Only an endless loop takes that long, on any machine. */
const HANGS_MS = 5 * 60_000;

it('200 mutated files, piles, bundles and requests are read or refused', async () => {
  const result = await runFuzz({
    seed: 20260728,
    count: COUNT,
    subject: undefined,
    workers: 1,
    deadlineMs: HANGS_MS,
    totalMs: Infinity,
    heapMegabytes: 512,
    rssMegabytes: 3000,
    crashFolder: join(tmpdir(), 'oakum-fuzz'),
    log: () => undefined,
  });
  assert.deepEqual(
    result.failures.map(({ index, problem }) => `${index}: ${problem}`),
    [],
  );
  assert.equal(result.count, COUNT);
  for (const [subject, { tried, read }] of result.subjects) {
    assert.ok(tried >= COUNT / 15 && read >= tried / 20, `${subject}: ${read} of ${tried} read`);
  }
});

it('an input is the same for the same seed and index', () => {
  const corpus = loadCorpus();
  for (const index of [0, 1, 2, 77, 4711]) {
    const [a, b] = [makeInput(corpus, 3, index), makeInput(corpus, 3, index)];
    assert.deepEqual(a, b);
  }
  assert.notDeepEqual(makeInput(corpus, 3, 7).mutant.bytes, makeInput(corpus, 4, 7).mutant.bytes);
});

it('the smaller half of the specimens passes unchanged', async () => {
  const half = [...loadCorpus()].map(([format, specimens]) => {
    const bySize = [...specimens].sort((a, b) => a.bytes.length - b.bytes.length);
    return [format, bySize.slice(0, Math.ceil(bySize.length / 2))] as const;
  });
  assert.ok(half.length >= 7 && half.every(([, specimens]) => specimens.length > 0));
  assert.deepEqual(await exerciseUnchanged(new Map(half)), []);
});
