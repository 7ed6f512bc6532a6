/** What leads the answer: goroutines that explode, the code to blame, and every resource that leaks. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RECORDINGS } from '../../../test/places.ts';
import { HEAP, LISTENER } from '../../../test/double/analyses.ts';
import { readPileFiles } from '../../evidence/io/pile.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import type { MetricGrowth } from '../growth/metric-growth.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis, Finding } from '../analysis.ts';
import type { Growth } from '../growth/growth.ts';
import { analyzePile } from './analyze-pile.ts';
import { rankFindings } from './rank-findings.ts';
import { comparedRate } from './finding.ts';
import { withCulprits } from './heap-findings.ts';
import { foldGoroutineMemory } from './diagnose-process.ts';
import { weigh } from '../ledger/ledger.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CAPTURES = join(RECORDINGS, 'captures');

async function analyze(...paths: string[]): Promise<Analysis> {
  return analyzePile(await readPile(readPileFiles(paths), { families: familiesOf }), { catalogue: BUNDLED_LEAKS });
}

describe('a process whose goroutines explode', () => {
  const leaker = join(CAPTURES, 'programs/leaker');

  it('leads with them, and counts the memory of goroutines as theirs', async () => {
    const analysis = await analyze(leaker);
    assert.match(analysis.sentence, /^leaker may leak goroutines: main\.leakSelect/);
    const [first] = analysis.findings;
    assert.deepEqual(
      first.holds.map(({ what }) => what),
      ['descriptors', 'label sets'],
    );
    assert.ok(first.holds.every(({ bytes }) => bytes > 1e6 && bytes < 2e6));
    assert.ok(!analysis.findings.some(({ family }) => /newproc|systemstack|pprof\.Do/.test(family.title)));
  });

  it('says so from one snapshot, too', async () => {
    const { verdict, sentence, findings } = await analyze(join(leaker, '2-10k'));
    assert.equal(verdict, 'watch');
    assert.equal(
      sentence,
      'leaker may leak goroutines: main.leakSelect ← select; and live heap: io.Copy → sync.(*Pool).Get.',
    );
    assert.match(
      findings[0].reasons[0],
      /^3,000 of 11,106 goroutines wait here, where only another one can wake them$/,
    );
    assert.ok(!findings.some(({ family }) => /newproc|systemstack|pprof\.Do/.test(family.title)));
  });

  it('keeps the memory of goroutines as a finding if there is no goroutine profile', async () => {
    const { findings } = await analyze(join(leaker, '2-10k/heap.gc1.pb.gz'));
    const descriptors = findings.find(({ family }) => family.title === 'runtime.newproc');
    assert.equal(descriptors?.cause?.id, 'goroutine-descriptors');
  });

  it('does not suspect many goroutines that wait for clients', async () => {
    const { verdict } = await analyze(join(CAPTURES, 'programs/etcd/load-16k-watches'));
    assert.equal(verdict, 'unknown');
  });
});

describe('what each goroutine allocated in its own stack', () => {
  const heap: Finding = { ...HEAP, matches: [], count: 1_300, family: { ...HEAP.family, frames: ['main.watch'] } };
  const goroutines: Finding = {
    ...LISTENER,
    count: 1_200,
    family: { ...LISTENER.family, id: 'g-0', frames: ['main.watch', 'main.run'] },
  };
  const family = { ...goroutines.family, kind: 'goroutine', closures: [], ownerPackage: 'main' } as const;
  const tables = (count: number) =>
    ({
      goroutines: [{ table: { kind: 'goroutine', total: count, counts: [{ family, count, labelSets: [] }] } }],
      heap: [{ table: { kind: 'heap', total: 0, counts: [] } }],
    }) as unknown as ProcessEvidence;

  it('is told with them', () => {
    const folded = foldGoroutineMemory([heap, goroutines], tables(1_200));
    assert.equal(folded.length, 1);
    assert.deepEqual(folded[0].holds, [{ what: 'own objects', bytes: heap.bytes }]);
  });

  it('stays a leak of its own if there is far more of it, if it is known, or if they do not leak', () => {
    const pairs = [
      [{ ...heap, count: 9_000 }, goroutines],
      [{ ...heap, matches: HEAP.matches }, goroutines],
      [heap, { ...goroutines, verdict: 'unknown' }],
    ] as const;
    for (const pair of pairs) assert.equal(foldGoroutineMemory(pair, tables(1_200)).length, 2);
  });
});

describe('the first finding', () => {
  const finding = (over: Partial<Finding>): Finding => ({ ...HEAP, matches: [], ...over });
  const held: Finding = {
    ...HEAP,
    share: 0.9,
    growth: { ...HEAP.growth!, delta: 1e9 },
    family: { ...HEAP.family, frames: ['context.WithCancel', 'k8s.io/x/volumemanager.(*volumeManager).Wait'] },
  };

  it('is the code that makes what leaks, not what holds it', () => {
    assert.deepEqual(rankFindings([held, HEAP], new Set()), [HEAP, held]);
  });

  it('is proved by what is proved about its holder, and joins it however small it is', () => {
    const proof = {
      kind: 'profile-growth',
      claims: ['stays', 'unbounded'],
      logOdds: 8,
      shows: 'growth between profiles',
      sentence: '+18 MiB',
    } as const;
    const proved: Finding = { ...held, verdict: 'leak', ledger: weigh([proof]) };
    const small: Finding = { ...HEAP, verdict: 'unknown', ledger: weigh([]) };
    for (const found of [withCulprits([proved, small], []), withCulprits([proved], [small])]) {
      const [first] = rankFindings(found, new Set());
      assert.deepEqual([first?.family, first?.verdict], [HEAP.family, 'leak']);
      assert.match(first?.ledger.entries[0]?.sentence ?? '', /, which holds it: \+18 MiB$/);
      assert.equal(found.length, 2);
    }
    // A maker of nothing that was found stays aside, and a veto of its own counts.
    assert.deepEqual(withCulprits([], [small]), []);
    const vetoed = { ...small, ledger: weigh([], [{ kind: 'peers', sentence: 'healthy peers have as much' }]) };
    assert.notEqual(withCulprits([proved, vetoed], [])[1]?.verdict, 'leak');
  });

  it('is of each resource in turn if both leak', () => {
    const goroutines = { ...LISTENER, verdict: 'leak', matches: [], share: 0.2, target: HEAP.target } as const;
    const [more, less] = [finding({ share: 0.5 }), finding({ share: 0.4, growth: null })];
    assert.deepEqual(rankFindings([more, less, goroutines], new Set()), [more, goroutines, less]);
    assert.deepEqual(rankFindings([more, less, goroutines], new Set([HEAP.target])), [goroutines, more, less]);
  });

  it('names both resources in the sentence', async () => {
    const { sentence } = await analyze(join(ROOT, 'test/fixtures/captures/ages/leaky'));
    assert.equal(
      sentence,
      'leaky leaks goroutines: main.forward ← chan send; and may leak live heap: main.openSession.',
    );
  });
});

describe('two rates of the live heap', () => {
  const rise = { perHour: 2.41 * 1024 * 1024 } as MetricGrowth;
  const growth = (perHour: number | undefined, perHourRange?: readonly [number, number]): Growth =>
    ({ perHour, perHourRange }) as unknown as Growth;

  it('come with the reason why they differ', () => {
    assert.equal(comparedRate(growth(undefined), rise), null);
    assert.match(comparedRate(growth(527e3, [1e5, 9e5]), rise) ?? '', /rises 2\.41 MiB\/h: the rest is in other fam/);
    assert.match(comparedRate(growth(527e3, [1e5, 9e6]), rise) ?? '', /rises 2\.41 MiB\/h in all$/);
    assert.match(comparedRate(growth(8e6, [7e6, 9e6]), rise) ?? '', /rises only 2\.41 MiB\/h: other families shrank/);
  });
});
