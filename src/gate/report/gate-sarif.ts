/** SARIF 2.1.0: one result per leaking family, at the line that leaks; its fingerprint is the family's id. */
import { visible } from '../../base/visible-text.ts';
import { type GateFamily, type GateMeasure, type GateResult, isLeak, measuresWithoutFamily } from '../gate.ts';
import { renderJson } from '../../report/json.ts';
import { familyGrowth, measureGrowth, measureName, placeText } from './gate-amounts.ts';

interface Place {
  readonly file: string;
  readonly line: number;
}

/**
 * `otherwise` is the file of a leak without a place of its own, relative to the repository: code scanning refuses a whole
 * log if one result has no place.
 */
export function gateSarif(result: GateResult, version: string, otherwise: string): string {
  const counting = result.families.filter(isLeak);
  const unnamed = measuresWithoutFamily(result);
  const results = [
    ...counting.map(one => familyResult(one, result.operation, otherwise)),
    ...unnamed.map(one => measureResult(one, result, otherwise)),
  ];
  const ids = [...new Set(results.map(({ ruleId }) => ruleId))];
  const rules = ids.map(id => ({
    id,
    shortDescription: { text: RULES[id] ?? `Known leak ${id}` },
    fullDescription: { text: `${RULES[id] ?? `Operations leave behind what ${id} describes`}: more than the budget.` },
    help: { text: 'docs/gate.md of Oakum says how growth is judged and how to allow some of it.' },
    defaultConfiguration: { level: 'error' },
  }));
  const run = {
    tool: { driver: { name: 'oakum', version, informationUri: 'https://www.npmjs.com/package/oakum', rules } },
    results: results.map(one => ({ ...one, ruleIndex: ids.indexOf(one.ruleId) })),
    properties: {
      target: result.target,
      rounds: result.rounds,
      operations: result.operations,
      outcome: result.outcome,
    },
  };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return renderJson(log);
}

const RULES: Readonly<Record<string, string>> = {
  'oakum/goroutine-growth': 'Operations leave goroutines behind',
  'oakum/heap-growth': 'Operations leave live heap behind',
  'oakum/objects-growth': 'Operations leave heap objects behind',
  'oakum/file-descriptors-growth': 'Operations leave file descriptors open',
  'oakum/memory-outside-the-go-heap-growth': 'Operations leave memory outside the Go heap behind',
  'oakum/threads-growth': 'Operations leave threads behind',
  'oakum/metric-series-growth': 'Operations leave metric series behind',
};

interface Result {
  readonly ruleId: string;
}

function familyResult(one: GateFamily, operation: string, otherwise: string): Result {
  const [place = { file: otherwise, line: 1 }] = [placeText(one)].flatMap(placeOf);
  const { cause, knownLeak, advice } = one;
  const why = cause === null ? '' : ` ${cause}${knownLeak === null ? '' : ` (${knownLeak})`}.`;
  const fix = advice[0] === undefined ? '' : ` Fix: ${advice[0].replace(/\.$/, '')}.`;
  const created = one.createdBy === null ? '' : ` Created by ${one.createdBy}.`;
  return {
    ruleId: knownLeak ?? (one.resource === 'heap' ? 'oakum/heap-growth' : 'oakum/goroutine-growth'),
    level: 'error',
    message: { text: visible(`${one.title} keeps ${familyGrowth(one, operation)}.${created}${why}${fix}`) },
    locations: [locationOf(place)],
    stacks: [{ message: { text: 'the stack that stays, leaf first' }, frames: one.frames.map(frameOf) }],
    partialFingerprints: { 'oakumFamily/v1': one.family },
  } as Result;
}

/** What leaks without a stack of its own: descriptors, threads, or a heap with too few samples. */
function measureResult(one: GateMeasure, { operation, target }: GateResult, otherwise: string): Result {
  return {
    ruleId:
      one.resource === 'goroutines'
        ? 'oakum/goroutine-growth'
        : `oakum/${one.resource.toLowerCase().replaceAll(' ', '-')}-growth`,
    level: 'error',
    message: {
      text: visible(
        `${measureName(one)} of ${target}: ${measureGrowth(one)} more${one.per === 'hour' ? '' : ` per ${operation}`}; no stack is known for it.`,
      ),
    },
    locations: [locationOf({ file: otherwise, line: 1 })],
    partialFingerprints: { 'oakumFamily/v1': `resource ${measureName(one)}` },
  } as Result;
}

function frameOf(name: string): object {
  return { location: { logicalLocations: [{ fullyQualifiedName: visible(name), kind: 'function' }] } };
}

function locationOf({ file, line }: Place): object {
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } } };
}

/** A reference relative to the repository, never absolute: a path of the machine that built it says nothing there. */
function uriOf(file: string): string {
  return file
    .replace(/^(?:[A-Za-z]:)?[\\/]+/, '')
    .split(/[\\/]/)
    .map(encodeURIComponent)
    .join('/');
}

/** `pkg/sync.go:88`, relative to the repository or its module. */
export function placeOf(place: string | null): Place[] {
  const [, file, line] = /^(.+):([1-9]\d*)$/s.exec(place ?? '') ?? [];
  return file === undefined || line === undefined ? [] : [{ file, line: Number(line) }];
}
