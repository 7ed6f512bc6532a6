import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { ResourceVerdict } from '../../judge/detect/detection.ts';
import type { Verdict } from '../../judge/verdict.ts';
import { WatchedTarget } from '../state/watched-target.ts';
import { targetMetrics } from './metrics.ts';

function target(name: string, verdict: Verdict): WatchedTarget {
  const made = new WatchedTarget({ name, connection: undefined, attributes: {} });
  const resource = { resource: 'live heap', verdict, slopePerHour: 1000, timeToLimitHours: [2, Infinity] };
  made.verdict = { target: name, verdict, resources: [resource as unknown as ResourceVerdict] };
  return made;
}

const byName = (targets: readonly WatchedTarget[]): Map<string, WatchedTarget> =>
  new Map(targets.map(one => [one.name, one]));

it('has verdict, growth and limit of what is suspected, and of cohorts', () => {
  const cohort = {
    attribute: 'version',
    value: 'v1"36',
    resource: 'live heap',
    verdict: 'leak',
    ratePerHour: [1, 2, 3],
    observed: 3,
    leaking: ['node/a'],
  } as unknown as CohortVerdict;
  const text = targetMetrics({
    targets: byName([target('node/b', 'healthy'), target('node/a', 'leak')]),
    cohorts: [cohort],
  });
  const of = 'target="node/a",resource="live heap"';
  for (const line of [
    `oakum_target_verdict{${of},verdict="leak"} 1`,
    `oakum_target_growth_per_hour{${of}} 1000`,
    `oakum_target_limit_seconds{${of},bound="low"} 7200`,
    'oakum_targets_not_exported 0',
    'oakum_cohort_growth_per_hour{attribute="version",value="v1\\"36",resource="live heap"} 2',
    'oakum_cohort_limit_seconds{attribute="version",value="v1\\"36",resource="live heap"} 7200',
  ])
    assert.ok(text.includes(`${line}\n`), line);
  assert.doesNotMatch(text, /node\/b|bound="high"/);
});

it('is bounded, and says what it left out: suspicions before leaks', () => {
  const many = Array.from({ length: 600 }, (_, i) => target(`node/${i}`, i % 2 === 0 ? 'watch' : 'leak'));
  const text = targetMetrics({ targets: byName(many), cohorts: [] });
  assert.equal(text.match(/^oakum_target_verdict\{/gm)?.length, 500);
  assert.equal(text.match(/verdict="leak"/g)?.length, 300);
  assert.match(text, /^oakum_targets_not_exported 100$/m);
});
