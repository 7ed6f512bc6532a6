import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceVerdict } from '../../judge/detect/detection.ts';
import type { Resource } from '../../evidence/resource.ts';
import { explanationOf, healthyCauseOf, shownResourceOf } from './cause-phrases.ts';
import { riseText, targetSentence, timeOfDay } from './phrases.ts';
import { WatchedTarget } from '../state/watched-target.ts';

const NOW = 1_794_772_800; // 2026-11-15T20:00Z

function rise(resource: Resource, unit: 'bytes' | 'count', slopePerHour: number): ResourceVerdict {
  return {
    resource,
    verdict: 'leak',
    metric: 'm',
    unit,
    level: 0,
    slopePerHour,
    slopeInterval: [0, 0],
    onsetSeconds: NOW - 600,
    timeToLimitHours: [15, 26],
    clock: undefined,
    explanation: undefined,
    reasons: [],
  };
}

describe('sentences of watch', () => {
  it('say what grows, how fast, since when, under which load and until when', () => {
    const target = new WatchedTarget({ name: 'node/a', connection: undefined, attributes: {} });
    assert.equal(
      riseText(rise('goroutines', 'count', 7178.4), target, NOW),
      'goroutines grow 7,178/h since 19:50 UTC; limit in 15h to 1d2h',
    );
    target.observe(NOW, { kubelet_running_pods: 50 });
    assert.equal(
      riseText(rise('live heap', 'bytes', 41.8 * 2 ** 20), target, NOW),
      'live heap grows 41.8 MiB/h since 19:50 UTC, at 50 pods; limit in 15h to 1d2h',
    );
  });

  it('name every resource that leaks', () => {
    const target = new WatchedTarget({ name: 'node/a', connection: undefined, attributes: {} });
    const resources = [
      rise('live heap', 'bytes', 2 ** 20),
      rise('goroutines', 'count', 1240),
      rise('threads', 'count', -1),
    ];
    target.verdict = { target: 'node/a', verdict: 'leak', resources };
    assert.match(
      targetSentence(target, NOW),
      /^Live heap grows 1 MiB\/h .*; goroutines grow 1,240\/h, too; threads may leak, too\.$/,
    );
  });

  it('say why growth is not a leak', () => {
    const target = new WatchedTarget({ name: 'node/a', connection: undefined, attributes: {} });
    const stacks: ResourceVerdict = {
      ...rise('stacks', 'bytes', 0),
      verdict: 'healthy',
      explanation: 'density',
      reasons: ['stacks 4.84 MiB, +431 KiB per day (387 KiB to 488 KiB), which more pods explain'],
    };
    target.verdict = { target: 'node/a', verdict: 'healthy', resources: [stacks] };
    assert.equal(
      targetSentence(target, NOW),
      'Stacks 4.84 MiB, +431 KiB per day (387 KiB to 488 KiB), which more pods explain: no leak.',
    );
  });

  it('say that something rises too little to be a finding', () => {
    const target = new WatchedTarget({ name: 'node/a', connection: undefined, attributes: {} });
    const healthy = (one: ResourceVerdict, slopeInterval: readonly [number, number]): ResourceVerdict => ({
      ...one,
      verdict: 'healthy',
      slopeInterval,
    });
    const goroutines = healthy(rise('goroutines', 'count', 2), [-4, 9]);
    const series = healthy(rise('metric series', 'count', 322), [1, 643]);
    const heap = healthy(rise('live heap', 'bytes', 5.5 * 2 ** 20), [3 * 2 ** 20, 8 * 2 ** 20]);
    target.verdict = { target: 'node/a', verdict: 'healthy', resources: [goroutines, series, heap] };
    assert.equal(targetSentence(target, NOW), 'Live heap rises 5.5 MiB/h, too little to be a finding.');
    assert.equal(healthyCauseOf(target)?.text, 'live heap rises 5.5 MiB/h, too little to be a finding');
    // The row shows the resource that its cause is about.
    assert.equal(shownResourceOf(target)?.resource, 'live heap');
    target.verdict = { target: 'node/a', verdict: 'healthy', resources: [goroutines] };
    assert.equal(targetSentence(target, NOW), 'Nothing grows beyond what pods and churn explain.');
    assert.equal(healthyCauseOf(target), null);
    assert.equal(shownResourceOf(target)?.resource, 'goroutines');
  });

  it('say of a rise that is too young to judge how fast it is, and not when others are judged', () => {
    const target = new WatchedTarget({ name: 'node/a', connection: undefined, attributes: {} });
    const heap: ResourceVerdict = {
      ...rise('live heap', 'bytes', 5.5 * 2 ** 20),
      verdict: 'unknown',
      explanation: 'unproved',
      reasons: ['live heap rises 5.5 MiB/h (3 MiB to 8 MiB), too little to judge yet', 'if it goes on, it is a watch'],
    };
    const threads: ResourceVerdict = { ...rise('threads', 'count', NaN), verdict: 'unknown', reasons: ['2h more'] };
    target.verdict = { target: 'node/a', verdict: 'unknown', resources: [threads, heap] };
    assert.equal(targetSentence(target, NOW), 'Live heap rises 5.5 MiB/h (3 MiB to 8 MiB), too little to judge yet.');
    assert.equal(explanationOf(target)?.text, 'live heap rises 5.5 MiB/h, too little to judge yet');
    assert.equal(shownResourceOf(target)?.resource, 'live heap');
  });

  it('say how much more must be seen', () => {
    const target = new WatchedTarget({ name: 'node/a', connection: undefined, attributes: {} });
    const reasons = ['goroutines: 2h of settled samples, too few to judge', '11h more of samples would give a verdict'];
    const goroutines: ResourceVerdict = { ...rise('goroutines', 'count', NaN), verdict: 'unknown', reasons };
    target.verdict = { target: 'node/a', verdict: 'unknown', resources: [goroutines] };
    assert.equal(
      targetSentence(target, NOW),
      'Too little is known about it yet: 11h more of samples would give a verdict.',
    );
  });

  it('name the day if it is not today', () => {
    assert.equal(timeOfDay(NOW - 3600, NOW), '19:00 UTC');
    assert.equal(timeOfDay(NOW - 86_400, NOW), 'Nov 14 20:00 UTC');
  });
});
