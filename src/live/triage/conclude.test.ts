import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Analysis, Finding } from '../../judge/analysis.ts';
import type { DetectedTarget, ResourceDetection } from '../../judge/detect/recorded-detection.ts';
import type { TriageHistory } from './triage.ts';
import type { Verdict } from '../../judge/verdict.ts';
import { RESOURCES } from '../../evidence/resource.ts';
import { WEIGHTS } from '../../judge/ledger/weights.ts';
import { weighDetected } from '../../judge/ledger/metric-evidence.ts';
import { conclude } from './conclude.ts';
import { noScrape } from './triage-scrape.ts';
import { weigh } from '../../judge/ledger/ledger.ts';

const TARGET = 'node/worker-17';
const SEEN = { ...noScrape('', 0.1, undefined), problem: null };

function analysis(verdict: Verdict, findings: readonly Partial<Finding>[] = []): Analysis {
  const shows = 'growth between profiles';
  const claims = ['stays', 'unbounded'] as const;
  const logOdds = WEIGHT[verdict];
  const evidence = [{ kind: 'profile-growth', claims, logOdds, shows, sentence: 'over 3 profiles' }] as const;
  return {
    schema: 'oakum.analysis/v1',
    sentence: `worker-17: ${verdict}.`,
    verdict,
    reasons: ['goroutines flat'],
    inputs: [],
    findings: findings as Finding[],
    shown: [],
    missing: [],
    ledgers: [{ target: TARGET, resource: 'heap', ...weigh(evidence) }],
  };
}

const WEIGHT = {
  leak: WEIGHTS.perOperation,
  watch: WEIGHTS.growthSeen,
  healthy: WEIGHTS.cameBack,
  unknown: 0,
} as const;

function resource(verdict: Verdict, more: Partial<ResourceDetection> = {}): ResourceDetection {
  const detected = { resource: 'live heap', verdict, reasons: ['live heap rises 1 MiB/h'], ...more } as const;
  return {
    resource: 'live heap',
    verdict,
    metric: 'go_gc_heap_live_bytes',
    unit: 'bytes',
    level: 1e8,
    slopePerHour: 1e6,
    slopeInterval: [0.9e6, 1.1e6],
    onset: null,
    timeToLimitHours: null,
    limit: null,
    clock: null,
    explanation: null,
    reasons: ['live heap rises 1 MiB/h'],
    ledger: weighDetected(detected),
    history: [],
    ...more,
  };
}

function history(
  verdict: Verdict,
  more: Partial<ResourceDetection> = {},
): TriageHistory & { detected: DetectedTarget } {
  const [from, to] = ['2026-11-02T00:00:00Z', '2026-11-15T00:00:00Z'];
  const resources = [resource(verdict, more)];
  const detected = { target: TARGET, attributes: {}, verdict, from, to, sampleCount: 4000, resources };
  return { address: 'http://prom', selector: 'job="kubelet"', peerCount: 0, detected, problem: null };
}

describe('the verdict of a triage', () => {
  it('is the worse of what the capture and the history prove', () => {
    const verdicts: readonly Verdict[] = ['unknown', 'healthy', 'watch', 'leak'];
    for (const ofCapture of verdicts) {
      for (const ofHistory of verdicts) {
        const { verdict } = conclude({
          target: TARGET,
          scrape: SEEN,
          analysis: analysis(ofCapture),
          history: history(ofHistory),
        });
        assert.equal(verdict, verdicts[Math.max(verdicts.indexOf(ofCapture), verdicts.indexOf(ofHistory))]);
      }
    }
  });

  it('names the match of the profiles if the history proves the leak', () => {
    const match = {
      ref: 'kubernetes#139823',
      title: 'A context stays behind',
      grade: 'confirmed',
      fixedIn: ['1.36.3'],
    };
    const known = { resource: 'heap', matches: [match] } as unknown as Finding;
    const { sentence, reasons } = conclude({
      target: TARGET,
      scrape: SEEN,
      analysis: analysis('watch', [known]),
      history: history('leak'),
    });
    assert.equal(
      sentence,
      'node/worker-17 leaks live heap, by its history: A context stays behind (kubernetes#139823, confirmed; fixed in 1.36.3).',
    );
    assert.deepEqual(reasons, ['goroutines flat', '2026-11-02T00:00Z to 2026-11-15T00:00Z: live heap rises 1 MiB/h']);
  });

  it('finds the match of every resource, in either spelling', () => {
    for (const { resource, slug, unit } of RESOURCES) {
      const match = { ref: 'x#1', title: 'A leak', grade: 'confirmed', fixedIn: [] };
      const { sentence } = conclude({
        target: TARGET,
        scrape: SEEN,
        analysis: analysis('watch', [{ resource: slug, matches: [match] } as unknown as Finding]),
        history: history('leak', { resource, unit }),
      });
      assert.equal(sentence, `node/worker-17 leaks ${resource}, by its history: A leak (x#1, confirmed).`);
    }
  });

  it('says that nothing was seen, and why', () => {
    const scrape = noScrape('nobody answers; start it', 4.5, undefined);
    const { verdict, sentence } = conclude({ target: TARGET, scrape, analysis: undefined, history: undefined });
    assert.equal(verdict, 'unknown');
    assert.equal(sentence, 'node/worker-17 could not be observed: nobody answers; start it.');
  });
});
