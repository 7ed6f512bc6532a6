import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Analysis } from '../../judge/analysis.ts';
import type { TriageEvidence } from './triage.ts';
import { advise, type Situation } from './advise.ts';
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
    evidence,
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

  it('does not advise the same again after a quarter of an hour without metrics', () => {
    const inputs = (minutes: number): Analysis =>
      ({
        findings: [],
        inputs: [0, minutes].map(minute => ({
          kind: 'heap',
          takenAt: new Date(Date.UTC(2026, 10, 18, 1, minute)).toISOString(),
        })),
      }) as unknown as Analysis;
    const short = advise(situation({ verdict: 'unknown', isShort: true, analysis: inputs(5) }));
    assert.equal(short.next[0].command, 'oakum triage node/worker-17');
    assert.match(short.cannotProve[0].because, /leave out --sets/);
    const long = advise(situation({ verdict: 'unknown', isShort: true, analysis: inputs(15) }));
    assert.equal(long.next[0].command, 'oakum triage node/worker-17 --gap 30m --sets 3');
    assert.match(long.cannotProve[0].because, /without metrics/);
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
