import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Analysis } from '../../judge/analysis.ts';
import { findingsOfAnalysis, readTriage } from './evidence-findings.ts';

it('a leak that shows in several stacks grows by all of them together', () => {
  const finding = (verdict: string, resource: string, perHour: number, perHourRange: readonly number[] | null) => ({
    target: 'worker-1',
    verdict,
    resource,
    growth: { perHour, perHourRange },
    matches: [],
    reasons: [],
  });
  const analysis = (findings: readonly unknown[]): Analysis =>
    ({
      verdict: 'leak',
      sentence: 'it leaks',
      ledgers: [{ target: 'worker-1', verdict: 'leak' }],
      inputs: [],
      findings,
    }) as unknown as Analysis;
  const of = (...findings: readonly unknown[]) =>
    findingsOfAnalysis(analysis(findings), { where: './w', bytes: 1 }).get('worker-1');
  const both = of(
    finding('leak', 'heap', 20, [-10, 50]),
    finding('leak', 'heap', 200, [60, 330]),
    finding('watch', 'heap', 7, [1, 9]),
    finding('leak', 'goroutines', 3, [1, 5]),
  );
  assert.deepEqual([both?.resource, both?.slopePerHour, both?.slopeInterval], ['live heap', 220, [50, 380]]);
  // An interval of only some of them is none.
  const part = of(finding('leak', 'heap', 20, null), finding('leak', 'heap', 200, [60, 330]));
  assert.deepEqual([part?.slopePerHour, part?.slopeInterval], [220, null]);
  assert.deepEqual([of()?.slopePerHour, of()?.slopeInterval], [null, null]);
});

it('a plan counts with the limit that the triage was given, and with no other that it saw', () => {
  const of = (from: string) =>
    readTriage({
      schema: 'oakum.triage/v1',
      target: 'node/worker-1',
      verdict: 'leak',
      scrape: { residentBytes: 1e9, memoryLimit: { bytes: 2e9, from } },
      timeToLimit: null,
      history: { detected: { resources: [{ resource: 'live heap', verdict: 'leak', slopePerHour: 1e6 }] } },
    })?.finding.limit;
  assert.deepEqual([of('given'), of('node allocatable')], [2e9, null]);
});
