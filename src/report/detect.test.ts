import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type {
  DetectedTarget,
  Detection,
  ResourceDetection,
  RecordedCohort,
} from '../judge/detect/recorded-detection.ts';
import type { Verdict } from '../judge/verdict.ts';
import { weighDetected } from '../judge/ledger/metric-evidence.ts';
import { renderReplay, renderDetection } from './detect-text.ts';
import { ANSI } from './layout.ts';
import { renderDetectionJson } from './json.ts';

const MIB = 1024 * 1024;

function resource(verdict: Verdict, over: Partial<ResourceDetection> = {}): ResourceDetection {
  return {
    resource: 'live heap',
    verdict,
    metric: 'go_gc_heap_live_bytes',
    unit: 'bytes',
    level: 40 * MIB,
    slopePerHour: null,
    slopeInterval: null,
    onset: null,
    timeToLimitHours: null,
    limit: null,
    clock: null,
    explanation: null,
    reasons: [`why it is ${verdict}`, 'what would change it'],
    ledger: weighDetected({ resource: 'live heap', verdict, reasons: [`why it is ${verdict}`] }),
    history: [1, 2, 3, 4],
    ...over,
  };
}

function target(name: string, verdict: Verdict, ...resources: ResourceDetection[]): DetectedTarget {
  const [from, to] = ['2026-08-04T06:00:00Z', '2026-08-18T06:00:00Z'];
  return { target: name, attributes: {}, verdict, from, to, sampleCount: 9, resources };
}

function detection(targets: readonly DetectedTarget[], over: Partial<Detection> = {}): Detection {
  return {
    schema: 'oakum.detection/v1',
    verdict: targets[0].verdict,
    at: '2026-08-18T06:00:00Z',
    timeScale: 1,
    targets,
    cohorts: [],
    changes: null,
    inputs: { readCount: 2, otherCount: 0, unread: [], notes: [] },
    ...over,
  };
}

const LEAK = resource('leak', {
  slopePerHour: 0.625 * MIB,
  slopeInterval: [0.5 * MIB, 0.75 * MIB],
  onset: '2026-08-06T02:00:00Z',
  timeToLimitHours: [400, null],
  limit: { from: 'cgroup', of: 'resident memory', value: 512 * MIB, level: 262 * MIB, perHour: [0, 0.625 * MIB] },
  clock: { per: 'pod start', amount: 48 * 1024 },
});

it('the arithmetic of a limit is in wide', () => {
  const text = renderDetection(detection([target('w1', 'leak', LEAK)]), { ascii: true, wide: true, width: 200 });
  assert.match(
    text,
    /limit: 512 MiB \(cgroup\) less 262 MiB of resident memory leaves 250 MiB; it grows at most 640 KiB\/h/,
  );
});

describe('detections as text', () => {
  it('are a table with the reason under each row', () => {
    const flat = resource('healthy', { resource: 'goroutines', unit: 'count', level: 301, slopePerHour: -0.25 });
    const still = { ...flat, slopePerHour: -0.001 };
    const found = detection([target('w1', 'leak', LEAK, flat), target('w2', 'healthy', flat)]);
    assert.equal(
      renderDetection(found, { ascii: true }),
      `1 of 2 targets leaks: w1 (live heap)

VERDICT  TARGET  RESOURCE    LEVEL   SLOPE                            SINCE              LIMIT-IN     HISTORY
leak     w1      live heap   40 MiB  +640 KiB/h (512 KiB to 768 KiB)  2026-08-06T02:00Z  16d or more  .-*@
  why it is leak
  48 KiB per pod start
healthy  w2      goroutines  301     -0.25/h                          -                  -            .-*@
  why it is healthy

INPUTS  2 files of metrics read, 2026-08-04T06:00:00Z to 2026-08-18T06:00:00Z
`,
    );
    assert.match(renderDetection(detection([target('w3', 'healthy', still)])), / 301 +0\/h /);
    const wide = renderDetection(found, { wide: true });
    assert.match(wide, /^healthy {2}w1 +goroutines/m);
    assert.match(wide, /^ {2}what would change it$/m);
    assert.match(wide, /▁▃▆█/);
    assert.ok(renderDetection(found, { style: ANSI }).includes('\x1b[1;31mleak\x1b[0m     w1'));
  });

  it('name many healthy or unknown targets in one line, with the most common reason', () => {
    const short = resource('unknown', { level: null, reasons: ['12 h recorded, 36 h more are needed'] });
    const many = [
      target('w1', 'watch', resource('watch')),
      ...Array.from({ length: 6 }, (_, i) => target(`u${i}`, 'unknown', short)),
      ...Array.from({ length: 20 }, (_, i) => target(`h${i}`, 'healthy', resource('healthy'))),
    ];
    const text = renderDetection(detection(many));
    assert.match(text, /^No leak is proven in 27 targets, 1 to watch, 6 unknown\n/);
    assert.match(text, /^watch +w1 +live heap +40 MiB +- +before 2026-08-04T06:00Z/m);
    assert.match(text, /^6 unknown: u0, u1, u2, u3, u4, u5\n {2}12 h recorded, 36 h more are needed\n/m);
    assert.match(text, /^20 healthy: h0, .*h7 and 12 more: -o wide$/m);
    assert.doesNotMatch(text, /^healthy/m);
    const only = renderDetection(detection(many), { only: 'leak' });
    assert.doesNotMatch(only, /^VERDICT/m);
    assert.match(only, /^1 watch: w1$/m);
  });

  it('name silent targets and unread files, without control characters', () => {
    const late = { ...target('w\x1b[2J', 'healthy', resource('healthy')), to: '2026-08-17T06:00:00Z' };
    const inputs = { readCount: 1, otherCount: 1200, unread: [{ path: 'a', message: 'no' }], notes: ['1', '2', '3'] };
    const text = renderDetection(detection([late], { inputs, timeScale: 240 }), { width: 80 });
    assert.match(text, /not seen since 2026-08-17T06:00Z/);
    assert.match(text, /time runs\s+240\s+times\s+faster; 1,200 other files hold no metrics/);
    assert.match(text, /\n {3}not read: a: no\n {3}1\n {3}2\n {3}1 more notes: -o wide\n/);
    assert.ok(text.includes('w\\x1b[2J') && !text.includes('\x1b'));
  });

  it('replay changes, one per line', () => {
    const change = (time: string, from: Verdict, to: Verdict): NonNullable<Detection['changes']>[number] => ({
      at: `2026-08-04T${time}:00Z`,
      target: 'leak-a',
      resource: 'live heap',
      from,
      to,
      reason: 'because',
    });
    const changes = [change('00:00', 'unknown', 'healthy'), change('06:00', 'healthy', 'watch')];
    const found = detection([target('leak-a', 'watch', resource('watch'))], { changes });
    const text = renderReplay(found);
    assert.equal(text.split('\n')[0], '2026-08-04T06:00Z leak-a live heap healthy -> watch');
    assert.match(text, /^1 times unknown -> healthy: -o wide$/m);
    assert.match(renderReplay(found, { wide: true }), /unknown -> healthy\n {2}because\n/);
    assert.match(renderReplay(found, { only: 'leak' }), /^No verdict but healthy or unknown appears\n/);
  });
});

describe('docs/detect-json.md', () => {
  const doc = readFileSync(new URL('../../docs/detect-json.md', import.meta.url), 'utf8');
  const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(doc)?.[1] ?? 'null') as Detection;
  const cohort: RecordedCohort = {
    attribute: 'version',
    value: 'v1.36.0',
    resource: 'live heap',
    unit: 'bytes',
    verdict: 'leak',
    ratePerHour: [1, 2, 3],
    perPod: [1, 2, 3],
    spreadPerHour: 0,
    targets: 1,
    observed: 1,
    leaking: ['a'],
    against: [{ target: 'b', ratePerHour: 0, differs: ['pool x, not y'] }],
    controls: 1,
    controlsLeaking: 0,
    equalAges: false,
    since: null,
    windowHours: 1,
    chance: 0,
    leastChance: 0,
    vetoes: [{ kind: 'density', sentence: '' }],
    alternatives: [{ attribute: 'go', value: 'go1.25', relation: 'alias', sentence: 'cannot be told apart' }],
    onset: [{ attribute: 'version', value: '', targets: 1, of: 1, without: 0, withinMinutes: 9, sentence: 'began' }],
    hoursForOne: 14,
    sentence: 'version v1.36.0: live heap grows',
  };
  const shape: Detection = detection([{ ...target('a', 'leak', LEAK), attributes: { version: '', go: '' } }], {
    cohorts: [cohort],
    changes: [{ at: '', target: '', resource: 'stacks', from: 'unknown', to: 'leak', reason: '' }],
    inputs: { readCount: 0, otherCount: 0, unread: [{ path: '', message: '' }], notes: [''] },
  });

  it('has an example with the fields of the type, and names each of them', () => {
    assert.deepEqual(pathsOf(example), pathsOf(shape));
    const named = new Set(Array.from(doc.matchAll(/`([\w.[\]]+)`/g), match => match[1]));
    const fields = pathsOf(shape).map(path => path.replace(/^.*\./, ''));
    assert.deepEqual(
      fields.filter(field => !named.has(field)),
      [],
    );
  });

  it('is printed with each history on one line', () => {
    const text = [...renderDetectionJson(shape)].join('');
    assert.deepEqual(JSON.parse(text), shape);
    assert.match(text, /"history": \[1, 2, 3, 4\]/);
  });

  it('gives text', () => {
    const text = renderDetection(example);
    assert.match(text, /^leak +worker-17 +live heap +248 MiB/m);
    assert.match(text, /^leak  version v1\.36\.0: live heap grows 640 KiB\/h on 19 of 20 targets/m);
    assert.match(text, /^  against: worker-3 has it and does not grow \(runtime cri-o/m);
  });
});

/** `targets.resources.unit` for every field, whatever its value. */
function pathsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(item => pathsOf(item, at)))].sort();
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value)
    .flatMap(([key, inner]) => [`${at}.${key}`, ...pathsOf(inner, `${at}.${key}`)])
    .sort();
}
