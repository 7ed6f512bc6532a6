/** The shape of a plan file: the values that it is made of, its steps, the plan. */
import * as v from 'valibot';
import { RESOURCES } from '../../evidence/resource.ts';
import { VERDICTS } from '../../judge/verdict.ts';
import { type Plan, PLAN_ACTIONS, RESTART_VIAS } from './plan.ts';
import { type JsonValue, type PlanPrecondition, type PlanStep, STEP_KINDS, type StepCall } from './plan-step.ts';

type Schema<T> = v.GenericSchema<unknown, T>;

/** A text on one line or more; longer than any sentence of ours. */
const TEXT: Schema<string> = v.pipe(v.string('must be text'), v.maxLength(8192, 'is longer than 8192 characters'));

/** A name of Kubernetes, or a path made of such names. */
const NAME: Schema<string> = v.pipe(
  v.string('must be text'),
  v.maxLength(600, 'is too long'),
  v.regex(/^[!-~]+$/, 'must be a name, without spaces'),
);

const TIME: Schema<string> = v.pipe(
  v.string('must be a time'),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/, 'must be a time such as 2026-11-17T01:56:30Z'),
);

const NUMBER: Schema<number> = v.pipe(v.number('must be a number'), v.finite('must be finite'));

const COUNT: Schema<number> = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must not be negative'),
);

const RANGE: Schema<[number, number | null]> = v.tuple([NUMBER, v.nullable(NUMBER)]);

/** What is not known is null; the field is always there. */
function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return v.nullable(schema);
}

function listOf<T>(schema: Schema<T>, most: number): Schema<T[]> {
  return v.pipe(v.array(schema, 'must be a list'), v.maxLength(most, `has more than ${most} entries`));
}

const MAX_DEPTH = 24;

/** JSON without a shape of its own, such as a manifest. */
const JSON_VALUE: Schema<JsonValue> = v.custom<JsonValue>(value => isJson(value, 0), 'must be plain data');

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > MAX_DEPTH) return false;
  return Object.values(value).every(one => isJson(one, depth + 1));
}

const PATH = v.pipe(NAME, v.regex(/^\/(?:api|apis)\/(?!.*\.\.)/, 'must be a path of the API server'));

const STEP_RIGHT = v.strictObject({ verb: NAME, group: TEXT, resource: NAME, namespace: orNull(NAME) });

const POD = v.strictObject({
  namespace: NAME,
  name: NAME,
  uid: NAME,
  act: v.picklist(['evict', 'leave']),
  note: TEXT,
  dryRun: v.picklist(['allowed', 'refused', 'not-asked']),
});

const CALL: Schema<StepCall> = v.variant('kind', [
  v.strictObject({
    kind: v.literal('request'),
    method: v.picklist(['POST', 'PUT', 'PATCH', 'DELETE']),
    path: PATH,
    contentType: orNull(NAME),
    body: JSON_VALUE,
  }),
  v.strictObject({ kind: v.literal('lease-acquire'), path: PATH, durationSeconds: COUNT }),
  v.strictObject({ kind: v.literal('lease-release'), path: PATH }),
  v.strictObject({
    kind: v.literal('drain'),
    node: NAME,
    maxConcurrent: v.pipe(COUNT, v.minValue(1), v.maxValue(100)),
    retrySeconds: COUNT,
    gracePeriodSeconds: orNull(COUNT),
    deleteEmptyDirData: v.boolean(),
    force: v.boolean(),
    pods: listOf(POD, 2000),
  }),
  v.strictObject({ kind: v.literal('command'), argv: v.pipe(listOf(TEXT, 200), v.minLength(1, 'is empty')) }),
  v.strictObject({ kind: v.literal('pod'), path: PATH, manifest: JSON_VALUE, namespace: JSON_VALUE }),
  v.strictObject({ kind: v.literal('print'), commands: listOf(TEXT, 50) }),
  v.strictObject({ kind: v.literal('wait-ready'), path: PATH, stableSeconds: COUNT }),
  v.strictObject({ kind: v.literal('verify'), path: PATH }),
]);

const OF_NODE = { node: NAME };

const PRECONDITION: Schema<PlanPrecondition> = v.variant('kind', [
  v.strictObject({ kind: v.literal('node-uid'), ...OF_NODE, uid: NAME }),
  v.strictObject({ kind: v.literal('boot-id'), ...OF_NODE, bootId: NAME }),
  v.strictObject({ kind: v.literal('kubelet-version'), ...OF_NODE, version: TEXT }),
  v.strictObject({ kind: v.literal('node-ready'), ...OF_NODE }),
  v.strictObject({ kind: v.literal('process-start'), ...OF_NODE, startSeconds: NUMBER }),
  v.strictObject({ kind: v.literal('not-cordoned'), ...OF_NODE }),
  v.strictObject({ kind: v.literal('cordoned-by-us'), ...OF_NODE }),
  v.strictObject({ kind: v.literal('no-foreign-work'), ...OF_NODE }),
  v.strictObject({ kind: v.literal('no-device-pods'), ...OF_NODE }),
  v.strictObject({ kind: v.literal('no-other-pods'), ...OF_NODE, uids: listOf(NAME, 2000) }),
  v.strictObject({ kind: v.literal('budget-allows'), namespace: NAME, name: NAME, atLeast: COUNT }),
  v.strictObject({ kind: v.literal('not-ready-below'), percent: NUMBER }),
  v.strictObject({ kind: v.literal('cordoned-below'), ...OF_NODE, percent: NUMBER }),
  v.strictObject({ kind: v.literal('machine-of-node'), ...OF_NODE, path: PATH }),
  v.strictObject({ kind: v.literal('zone-quiet'), zone: TEXT, ...OF_NODE }),
  v.strictObject({ kind: v.literal('lock-held') }),
  v.strictObject({ kind: v.literal('privileged-namespace'), namespace: NAME }),
]);

/** The shape of a step in a plan file. */
const STEP: Schema<PlanStep> = v.strictObject({
  id: NAME,
  kind: v.picklist(STEP_KINDS),
  node: orNull(NAME),
  sentence: TEXT,
  call: CALL,
  rights: listOf(STEP_RIGHT, 50),
  preconditions: listOf(PRECONDITION, 100),
  isFinal: v.boolean(),
  undo: orNull(v.strictObject({ sentence: TEXT, call: CALL })),
  timeoutSeconds: v.pipe(COUNT, v.maxValue(86_400)),
});

const MAX_NODES = 500;

const RIGHT = {
  verb: NAME,
  group: TEXT,
  resource: NAME,
  namespace: orNull(NAME),
};

const RESOURCE = v.picklist(RESOURCES.map(({ resource }) => resource));

const LEAK = v.strictObject({
  id: NAME,
  ref: TEXT,
  title: TEXT,
  isConfirmed: v.boolean(),
  fixedIn: listOf(TEXT, 100),
  sideEffects: listOf(TEXT, 100),
});

const REASON = v.strictObject({
  node: NAME,
  verdict: v.picklist(VERDICTS),
  sentence: TEXT,
  resource: orNull(RESOURCE),
  unit: orNull(v.picklist(['bytes', 'count'])),
  level: orNull(NUMBER),
  slopePerHour: orNull(NUMBER),
  timeToLimitHours: orNull(RANGE),
  knownLeak: orNull(LEAK),
  incident: orNull(TEXT),
  evidence: orNull(
    v.strictObject({
      where: TEXT,
      fileCount: COUNT,
      bytes: COUNT,
      takenAt: orNull(TIME),
      isReadable: v.boolean(),
    }),
  ),
  forcedBecause: orNull(TEXT),
});

const POLICY = v.strictObject({
  maxConcurrent: v.pipe(COUNT, v.minValue(1), v.maxValue(100)),
  maxPerHour: v.pipe(COUNT, v.minValue(1), v.maxValue(10_000)),
  maxNotReadyPercent: v.pipe(NUMBER, v.minValue(0), v.maxValue(100)),
  stopAtFirstFailure: v.boolean(),
  coolDownSeconds: COUNT,
  canaryWaitSeconds: COUNT,
  restartAgain: v.boolean(),
  maxAgeSeconds: v.pipe(COUNT, v.maxValue(86_400)),
  lock: v.strictObject({
    namespace: NAME,
    name: NAME,
    durationSeconds: v.pipe(COUNT, v.minValue(5), v.maxValue(3600)),
  }),
});

const EXPECTED = v.strictObject({
  sentence: TEXT,
  level: orNull(NUMBER),
  returnsInHours: orNull(RANGE),
  isFixedByRestart: v.boolean(),
  awaySeconds: v.tuple([NUMBER, NUMBER]),
  blinks: listOf(TEXT, 100),
  blinkingPods: listOf(TEXT, 2000),
});

const VERIFICATION = v.strictObject({
  readyWithinSeconds: COUNT,
  warmUpSeconds: COUNT,
  decidedAfterHours: orNull(NUMBER),
  before: v.strictObject({
    at: TIME,
    processStartSeconds: orNull(NUMBER),
    bootId: orNull(TEXT),
    residentBytes: orNull(NUMBER),
    liveHeapBytes: orNull(NUMBER),
    goroutines: orNull(NUMBER),
    pods: orNull(NUMBER),
    runningPods: COUNT,
    resource: orNull(RESOURCE),
    slopePerHour: orNull(NUMBER),
    slopeInterval: orNull(v.tuple([NUMBER, NUMBER])),
    limit: orNull(NUMBER),
  }),
  checks: listOf(TEXT, 50),
});

const NODE = v.strictObject({
  node: NAME,
  uid: NAME,
  zone: orNull(TEXT),
  pool: orNull(TEXT),
  isControlPlane: v.boolean(),
  kubeletVersion: TEXT,
  osImage: TEXT,
  distribution: v.picklist(['systemd', 'k3s', 'rke2', 'talos', 'bottlerocket', 'windows']),
  steps: listOf(STEP, 50),
  expected: EXPECTED,
  verification: VERIFICATION,
});

const WAVE = v.strictObject({
  number: COUNT,
  isCanary: v.boolean(),
  thenWaitSeconds: COUNT,
  nodes: listOf(NODE, 100),
});

/**
 *  The shape of a plan file, for plans that come back from people. Every list and text is bounded; unknown fields are refused.
 */
export const PLAN: Schema<Plan> = v.strictObject({
  schema: v.literal('oakum.plan/v1'),
  id: v.pipe(v.string(), v.regex(/^plan-[0-9]{8}t[0-9]{6}-[0-9a-f]{8}$/, 'is not the id of a plan')),
  hash: v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/, 'is not sha256: and 64 hex digits')),
  createdAt: TIME,
  expiresAt: TIME,
  oakumVersion: TEXT,
  action: v.picklist(PLAN_ACTIONS),
  via: orNull(v.picklist(RESTART_VIAS)),
  cluster: v.strictObject({
    name: v.optional(TEXT),
    context: TEXT,
    address: TEXT,
    uid: orNull(TEXT),
    nodeCount: COUNT,
    notReadyCount: COUNT,
  }),
  sentence: TEXT,
  why: listOf(REASON, MAX_NODES),
  first: listOf(TEXT, MAX_NODES),
  warnings: listOf(TEXT, 5000),
  leftOut: listOf(v.strictObject({ node: TEXT, why: TEXT }), 10_000),
  policy: POLICY,
  before: listOf(STEP, 10),
  waves: listOf(WAVE, MAX_NODES),
  after: listOf(STEP, 10),
  rights: listOf(v.strictObject({ ...RIGHT, isAllowed: orNull(v.boolean()), steps: listOf(NAME, 10_000) }), 1000),
});
