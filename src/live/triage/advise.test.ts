import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Analysis } from '../../judge/analysis.ts';
import type { TriageEvidence } from './triage.ts';
import { type Advice, advise, type Situation } from './advise.ts';
import { noScrape } from './triage-scrape.ts';

const SEEN = { ...noScrape('', 0.1, undefined), problem: null };

describe('the advice of a triage', () => {
  const evidence: TriageEvidence = {
    ...{ folder: 'out', fileCount: 9, bytes: 1e5, setCount: 2, isWhole: true, isOpen: false, notes: [] },
  };
  const situation = (more: Partial<Situation>): Situation => ({
    target: 'node/worker-17',
    verdict: 'leak',
    scrape: SEEN,
    history: undefined,
    past: undefined,
    evidence,
    choices: { gapSeconds: 300, sets: 4 },
    analysis: { findings: [], inputs: [] } as unknown as Analysis,
    limit: undefined,
    isShort: false,
    program: 'oakum',
    ...more,
  });

  it('never calls a restart safe before the evidence is', () => {
    const cases: readonly (readonly [Partial<Situation>, boolean])[] = [
      [{}, true],
      [{ evidence: undefined }, false],
      [{ evidence: { ...evidence, isOpen: true } }, false],
      [{ scrape: { ...SEEN, cycle: { stage: 'storm', sentence: '', advice: [] } } }, false],
      [{ verdict: 'healthy' }, false],
    ];
    for (const [more, isSafe] of cases) {
      const { safe, unsafe } = advise(situation(more));
      assert.equal(
        safe.some(text => text.startsWith('to restart')),
        isSafe,
      );
      if (more.evidence === undefined && 'evidence' in more) assert.match(unsafe[0], /before evidence is saved/);
    }
  });

  it('says to wait only with hours to the limit', () => {
    const limit = (hours: number): Partial<Situation> => ({
      limit: { hours: [hours, null], resource: 'live heap', limit: 1e9, unit: 'bytes', from: 'history', basis: null },
    });
    assert.ok(advise(situation(limit(20))).safe.includes('to wait until people are awake'));
    assert.ok(!advise(situation(limit(3))).safe.includes('to wait until people are awake'));
  });

  it('never advises what it has just done, only a longer triage', () => {
    const quarter = { gapSeconds: 300, sets: 4 };
    const hour = { gapSeconds: 1800, sets: 3 };
    const sixHours = { gapSeconds: 7200, sets: 4 };
    const cases = [
      [{ gapSeconds: 300, sets: 2 }, 'oakum triage node/worker-17'],
      [quarter, 'oakum triage node/worker-17 --gap 30m --sets 3'],
      [hour, 'oakum triage node/worker-17 --gap 2h --sets 4'],
      [sixHours, 'oakum bundle out -o out.tar.gz'],
    ] as const;
    for (const [choices, next] of cases) {
      // Metrics may show that some resources do not grow, and still not be enough.
      for (const isShort of [true, false])
        assert.equal(advise(situation({ verdict: 'unknown', isShort, choices })).next[0].command, next);
    }
    const unknown = (choices: Situation['choices']): Advice =>
      advise(situation({ verdict: 'unknown', isShort: true, choices }));
    assert.match(unknown({ gapSeconds: 300, sets: 2 }).cannotProve[0].because, /leave out --sets/);
    assert.match(unknown(quarter).cannotProve[0].because, /without metrics/);
    const open = advise(situation({ verdict: 'unknown', evidence: { ...evidence, isOpen: true } }));
    assert.match(open.unsafe.join(), /the same command resumes/);
    assert.doesNotMatch(open.next[0].command, /triage/);
  });

  it('sends those whose target gave no profile to the doctor, and not to another triage', () => {
    const refused = situation({ evidence: undefined, verdict: 'unknown' });
    assert.equal(advise(refused).next[0].command, 'oakum doctor node/worker-17');
    const metricsOnly = advise({ ...refused, choices: undefined });
    assert.equal(metricsOnly.next[0].command, 'oakum triage node/worker-17');
  });

  it('says nothing about the safety of what nobody saw', () => {
    const scrape = noScrape('nobody answers', 0.1, undefined);
    const { safe, unsafe, cannotProve, next } = advise(situation({ scrape, evidence: undefined, verdict: 'unknown' }));
    assert.deepEqual([safe, unsafe, cannotProve], [[], [], []]);
    assert.deepEqual(
      next.map(({ command }) => command),
      ['oakum doctor node/worker-17'],
    );
  });

  it('names commands as the user called oakum, and says what a refusal keeps from being proved', () => {
    const notes = ['goroutine of set 1 could not be taken: handlers are off; set them on'];
    const { next, cannotProve } = advise(situation({ program: 'kubectl oakum', evidence: { ...evidence, notes } }));
    assert.deepEqual(
      next.map(({ command }) => command),
      [
        'kubectl oakum report out --for upstream',
        'kubectl oakum bundle out -o out.tar.gz',
        'kubectl oakum analyze out -o wide',
      ],
    );
    assert.deepEqual(cannotProve[0], { what: 'which code it is', because: 'handlers are off; set them on' });
  });
});
