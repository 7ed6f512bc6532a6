import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { junitProblems } from '../../../test/schemas/junit.ts';
import { sarifProblems } from '../../../test/schemas/sarif.ts';
import { answerOf, failsGate } from '../gate-answer.ts';
import { NO_BUDGET } from '../budget.ts';
import { GATE_RESOURCES, type GateResult, unitOf } from '../gate.ts';
import { gateJunit } from './gate-junit.ts';
import { printMarkdown } from '../../report/markdown.ts';
import { printText } from '../../report/print-text.ts';
import { gateDocument } from './gate-document.ts';
import { gateAnnotations, gateBenchstat } from './gate-lines.ts';
import { gateSarif } from './gate-sarif.ts';

const text = (result: GateResult): string => printText(gateDocument(result));
const markdown = (result: GateResult): string => printMarkdown(gateDocument(result));

const RESULT: GateResult = {
  schema: 'oakum.gate/v1',
  target: 'http://localhost:6060',
  comparedWith: null,
  operation: 'operation',
  idleRounds: 3,
  memProfileRate: 524_288,
  outcome: 'leaks',
  sentence: 'Each operation leaves 2 goroutines behind.',
  rounds: 9,
  warmUpRounds: 3,
  operations: 450,
  measures: [
    {
      resource: 'goroutines',
      scope: null,
      unit: 'count',
      budget: 0.01,
      decision: 'leaks',
      per: 'operation',
      growth: [1.9, 2, 2.1],
      levels: [4, 904],
    },
    {
      resource: 'heap',
      scope: null,
      unit: 'bytes',
      budget: 512,
      decision: 'undecided',
      per: 'operation',
      growth: [-100, 700, 1500],
      levels: [1e6, 2e6],
    },
    {
      resource: 'threads',
      scope: null,
      unit: 'count',
      budget: 0.01,
      decision: 'within',
      per: 'operation',
      growth: [-0.005, 0, 0.005],
      levels: [9, 9],
    },
  ],
  families: [
    {
      resource: 'goroutines',
      family: 'g-f1a5b0dc63',
      title: 'main.forward ← chan send',
      frames: ['main.forward', 'main.<evil>]]>'],
      at: 'app/main.go:37',
      source: 'main.go:37',
      stack: ['main.forward /src/app/main.go:37', 'main.<evil>]]> /src/app/main.go:43'],
      labels: [{ label: 'controller=sync', count: 40 }],
      meaning: 'The receiver returned.',
      advice: ['Give the channel room.'],
      survivors: { count: 900, ids: [34, 36], oldestMinutes: 3 },
      createdBy: 'main.handle',
      createdAt: 'app/main.go:43',
      owner: 'main',
      cause: 'A send that nobody receives',
      knownLeak: null,
      exception: null,
      decision: 'leaks',
      per: 'operation',
      growth: [1.9, 2, 2.1],
      budget: 0.01,
    },
  ],
  growsWhenIdle: false,
  operationsNeeded: null,
  expired: [],
  evidence: 'oakum-gate-x',
  notes: [],
};

const FAMILY = RESULT.families[0]!;
const KNOWN: GateResult = {
  ...RESULT,
  operation: 'workspace',
  comparedWith: './base',
  growsWhenIdle: true,
  expired: ['the exception for family g-1 ended on 2026-01-01: <old> & "quoted"'],
  notes: ['a note\nwith a line'],
  families: [
    {
      ...FAMILY,
      knownLeak: 'kubernetes#139823',
      resource: 'heap',
      family: 'h-0123456789',
      at: null,
      source: null,
      createdAt: null,
      survivors: null,
    },
    { ...FAMILY, title: 'x\u0000\u001b[31m', source: 'dir with space/ü.go:7', per: 'hour', budget: null },
    { ...FAMILY, exception: 'waits for the fix, until 2027-01-31' },
  ],
  measures: [
    ...RESULT.measures,
    { ...RESULT.measures[2]!, resource: 'file descriptors', decision: 'leaks', growth: [0.9, 1, 1.1] },
    { ...RESULT.measures[0]!, per: 'hour', budget: null, growth: [35_000, 36_000, 37_000] },
    { ...RESULT.measures[0]!, scope: 'label controller=sync' },
  ],
};
const OTHERS: GateResult[] = [
  RESULT,
  KNOWN,
  { ...RESULT, outcome: 'within budget', families: [], measures: RESULT.measures.slice(2) },
  { ...RESULT, outcome: 'undecided', families: [], measures: [{ ...RESULT.measures[1]!, growth: null }] },
];

const DECISIONS = ['leaks', 'within', 'undecided', 'over time'] as const;

/** Answers of every kind: what grows, how it was decided, what is excepted, which exceptions are over. */
const answers: fc.Arbitrary<GateResult> = fc
  .record({
    measures: fc.array(
      fc.record({
        resource: fc.constantFrom(...GATE_RESOURCES),
        decision: fc.constantFrom(...DECISIONS),
        per: fc.constantFrom('operation' as const, 'hour' as const),
        scope: fc.constantFrom(null, 'package main'),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    families: fc.array(
      fc.record({
        resource: fc.constantFrom('goroutines' as const, 'heap' as const),
        decision: fc.constantFrom('leaks' as const, 'undecided' as const, 'over time' as const),
        exception: fc.constantFrom(null, 'known, until 2027-01-31'),
      }),
      { maxLength: 4 },
    ),
    isOver: fc.boolean(),
  })
  .map(({ measures, families, isOver }) =>
    answerOf({
      target: 'http://localhost:6060',
      comparedWith: undefined,
      operation: 'operation',
      budget: {
        ...NO_BUDGET,
        exceptions: isOver
          ? [
              {
                family: 'g-1',
                package: undefined,
                label: undefined,
                resource: undefined,
                reason: 'old',
                issue: '',
                until: '2026-01-01',
              },
            ]
          : [],
      },
      today: '2026-11-17',
      evidence: 'evidence',
      operations: [50, 50],
      judged: {
        measures: measures.map(one => ({ ...RESULT.measures[0]!, ...one, unit: unitOf(one.resource) })),
        families: families.map(one => ({ ...FAMILY, ...one })),
        deviations: new Map(),
        levelsOfFamilies: new Map(),
        warmUpRounds: 0,
        operationsNeeded: undefined,
      },
      idle: undefined,
      idleRounds: 0,
      memProfileRate: undefined,
      askedRate: undefined,
    }),
  );

const sarifOf = (result: GateResult): string => gateSarif(result, '0.2.0', 'oakum.budget.yaml');

describe('the answer of a gate', () => {
  it('as text', () => {
    const shown = text(RESULT);
    assert.match(shown, /^LEAKS {2}Each operation leaves 2 goroutines behind\.\n/);
    assert.match(shown, /goroutines {2}4 -> 904 +2 \(1\.9 to 2\.1\) +0\.01 +leaks/);
    assert.match(
      shown,
      /LEAK {2}main\.forward ← chan send {2}main\.go:37\n {2}2 \(1\.9 to 2\.1\) goroutines per operation; family g-f1a5b0dc63\n {2}created by main\.handle at app\/main\.go:43\n {2}900 started during the run and still there: 34, 36 \.\.\.; the oldest waits for 3 min\n/,
    );
    assert.match(
      shown,
      /\n {2}labels controller=sync 40\n {2}A send that nobody receives\n {2}The receiver returned\.\n {2}fix: Give/,
    );
    assert.match(shown, /EVIDENCE {2}oakum-gate-x: oakum analyze oakum-gate-x --operations 450\n$/);
    assert.match(text(KNOWN), /\ngoroutines +4 -> 904 +36,000 \(35,000 to 37,000\) per hour +none +leaks\n/);
    assert.ok(!text(KNOWN).includes('\u001b'));
  });

  it('as JUnit XML that is valid', () => {
    for (const result of OTHERS) assert.deepEqual(junitProblems(gateJunit(result)), []);
    const xml = gateJunit(RESULT);
    assert.match(
      xml,
      /<testsuite name="oakum gate http:\/\/localhost:6060" tests="3" failures="1" errors="0" skipped="1">/,
    );
    assert.match(
      xml,
      /name="goroutines per operation">\n {6}<failure type="leak" message="Each operation leaves 2 goroutines behind\."><!\[CDATA\[/,
    );
    assert.ok(!/\]\]>(?!<\/failure>|<!\[CDATA\[>)/.test(xml), 'the end of a CDATA section in a name is split');
    assert.match(xml, /name="heap per operation">\n {6}<skipped message="undecided/);
    assert.match(xml, /name="threads per operation"\/>/);
    assert.match(
      gateJunit(KNOWN),
      /name="exceptions of the budget">\n {6}<failure type="leak" message="[^"]*&lt;old&gt; &amp; &quot;quoted&quot;"/,
    );
    assert.deepEqual(junitProblems(xml.replace('failures="1" errors="0" skipped', 'failures="2" errors="0" skipped')), [
      'failures is 2, not 1',
    ]);
    assert.notDeepEqual(junitProblems(xml.replace('<failure type="leak"', '<failure')), []);
  });

  it('as SARIF 2.1.0 that is valid, with a fingerprint that survives moved lines', () => {
    for (const result of OTHERS) assert.deepEqual(sarifProblems(JSON.parse(sarifOf(result))), []);
    const [run] = (JSON.parse(sarifOf(RESULT)) as SarifLog).runs;
    assert.deepEqual(
      run?.tool.driver.rules.map(({ id }) => id),
      ['oakum/goroutine-growth'],
    );
    assert.deepEqual(run?.results[0]?.['partialFingerprints'], { 'oakumFamily/v1': 'g-f1a5b0dc63' });
    assert.deepEqual(run?.results[0]?.['locations'], [
      { physicalLocation: { artifactLocation: { uri: 'main.go' }, region: { startLine: 37 } } },
    ]);
    assert.match(
      JSON.stringify(run?.results[0]?.['message']),
      /Created by main\.handle\. A send that nobody receives\. Fix: Give the channel room\."/,
    );
    const [known] = (JSON.parse(sarifOf(KNOWN)) as SarifLog).runs;
    assert.deepEqual(
      known?.results.map(one => one['ruleId']),
      ['kubernetes#139823', 'oakum/goroutine-growth', 'oakum/file-descriptors-growth'],
      'a leak without a stack is a result as well; an excepted one is none',
    );
    assert.match(JSON.stringify(known?.results[1]), /"uri":"dir%20with%20space\/%C3%BC\.go"/);
    for (const unplaced of [known?.results[0], known?.results[2]])
      assert.match(JSON.stringify(unplaced), /"uri":"oakum\.budget\.yaml"},"region":{"startLine":1}/);
  });

  it('is refused by the checks if it is not valid', () => {
    const log = JSON.parse(sarifOf(RESULT)) as SarifLog;
    const broken = (change: (result: Record<string, unknown>) => void): string[] => {
      const copy = structuredClone(log);
      change(copy.runs[0]!.results[0]!);
      return sarifProblems(copy);
    };
    assert.deepEqual(
      broken(one => void (one['severity'] = 'high')),
      ['$.runs[0].results[0].severity: is not part of the schema'],
    );
    assert.deepEqual(
      broken(one => void delete one['message']),
      ['$.runs[0].results[0].message: is missing'],
    );
    assert.deepEqual(
      broken(one => void (one['locations'] = [])),
      ['a result of oakum/goroutine-growth has no place'],
    );
    assert.deepEqual(
      broken(one => void (one['ruleIndex'] = 3)),
      ['rule 3 is undefined, not oakum/goroutine-growth'],
    );
  });

  it('as a step summary and as annotations', () => {
    assert.match(
      markdown(RESULT),
      /^### ❌ Leak gate: leaks\n\nEach operation leaves 2 goroutines behind\. 9 rounds, 450 operations, `http:\/\/localhost:6060`\.\n/,
    );
    assert.match(
      markdown(RESULT),
      /\*\*Leak\*\* `main\.forward ← chan send` at `main\.go:37`: 2 \(1\.9 to 2\.1\) goroutines per operation/,
    );
    assert.equal(
      gateAnnotations(RESULT),
      '::error file=main.go,line=37,title=Leak%3A main.forward ← chan send::2 (1.9 to 2.1) goroutines per operation. A send that nobody receives.\n',
    );
    assert.match(gateAnnotations(KNOWN), /::error title=Leak%3A file descriptors::1 \(0\.9 to 1\.1\) per workspace\n/);
    assert.match(gateAnnotations(OTHERS[3]!), /^::warning title=Leak gate%3A undecided::/);
  });

  it('as a failure if an exception is over, whatever grows', () => {
    const over: GateResult = { ...OTHERS[2]!, expired: ['the exception for family g-1 ended on 2026-01-01: old'] };
    assert.match(text(over), /^EXPIRED {2}/);
    assert.match(markdown(over), /^### ❌ Leak gate: an exception is over\n/);
    assert.match(markdown(OTHERS[2]!), /^### ✅ Leak gate: within budget\n/);
  });

  it('says the same in every form: a block of a leak if it fails, and only then', () => {
    fc.assert(
      fc.property(answers, result => {
        const fails = failsGate(result);
        const leaks = result.outcome === 'leaks';
        const shown = text(result);
        assert.equal(/^LEAK {2}/m.test(shown), leaks, shown);
        assert.equal(/^LEAKS {2}/.test(shown), leaks);
        assert.equal(/^EXPIRED {2}/.test(shown), fails && !leaks);
        assert.equal(/\*\*Leak\*\*/.test(markdown(result)), leaks);
        assert.equal(markdown(result).includes('❌'), fails);
        const xml = gateJunit(result);
        assert.equal(!xml.includes(' failures="0"'), fails, xml);
        assert.deepEqual(junitProblems(xml), []);
        const log = JSON.parse(sarifOf(result)) as SarifLog;
        assert.deepEqual(sarifProblems(log), []);
        assert.equal(log.runs[0]!.results.length > 0, leaks);
        assert.equal(gateAnnotations(result).includes('::error'), fails);
        // A note or a sentence never calls a leak what does not fail.
        assert.equal(result.sentence.includes('leaves'), leaks && !/^It grows/.test(result.sentence));
      }),
    );
  });

  it('as lines for benchstat', () => {
    assert.match(
      gateBenchstat(RESULT),
      /^BenchmarkOakum\/goroutines 450 2 goroutines\/op\nBenchmarkOakum\/heap 450 700 B\/op\n/,
    );
    // The Go benchmark format: a name, the iterations, then pairs of a value and a unit.
    for (const line of gateBenchstat(KNOWN).trim().split('\n')) assert.match(line, /^Benchmark\S+ \d+ -?\d\S* \S+$/);
  });
});

interface SarifLog {
  version: string;
  runs: { tool: { driver: { name: string; rules: { id: string }[] } }; results: Record<string, unknown>[] }[];
}
