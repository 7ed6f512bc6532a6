/** The shape of a plan file. It has no place for a program, a path or a body. */
import * as v from 'valibot';
import { RESOURCES } from '../../evidence/resource.ts';
import { VERDICTS } from '../../judge/verdict.ts';
import { DISTRIBUTIONS, type PlanIntent, PLAN_ACTIONS, RESTART_VIAS } from './plan.ts';
import { isName } from './distribution.ts';

type Schema<T> = v.GenericSchema<unknown, T>;

/** A text on one line or more; longer than any sentence of ours. */
const TEXT: Schema<string> = v.pipe(v.string('must be text'), v.maxLength(8192, 'is longer than 8192 characters'));

/** An identifier that becomes no part of a path. */
const ID: Schema<string> = v.pipe(
  v.string('must be text'),
  v.maxLength(600, 'is too long'),
  v.regex(/^[!-~]+$/, 'must be a name, without spaces'),
);

/** A name of Kubernetes: it becomes part of a path. */
const NAME: Schema<string> = v.pipe(v.string('must be text'), v.check(isName, 'must be a name of Kubernetes'));

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

const POD = v.strictObject({
  namespace: NAME,
  name: NAME,
  uid: ID,
  act: v.picklist(['evict', 'leave']),
  note: TEXT,
  dryRun: v.picklist(['allowed', 'refused', 'waits', 'not-asked']),
});

const MAX_NODES = 500;

const RESOURCE = v.picklist(RESOURCES.map(({ resource }) => resource));

const LEAK = v.strictObject({
  id: ID,
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
  stopAtFirstFailure: v.literal(true),
  coolDownSeconds: COUNT,
  canaryWaitSeconds: COUNT,
  restartAgain: v.boolean(),
  maxAgeSeconds: v.pipe(COUNT, v.maxValue(1800, 'is more than 30 minutes')),
  lock: v.strictObject({
    namespace: NAME,
    // One lock for everyone: a plan with its own would have none.
    name: v.literal('oakum-actions'),
    durationSeconds: v.pipe(COUNT, v.minValue(5), v.maxValue(3600)),
  }),
});

const EXPECTED = v.strictObject({
  sentence: TEXT,
  level: orNull(NUMBER),
  returnsInHours: orNull(RANGE),
  blinks: listOf(TEXT, 100),
  blinkingPods: listOf(TEXT, 2000),
});

const VERIFICATION = v.strictObject({
  warmUpSeconds: COUNT,
  decidedAfterHours: orNull(NUMBER),
  before: v.strictObject({
    at: TIME,
    processStartSeconds: orNull(NUMBER),
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
});

const DRAIN = v.strictObject({
  maxConcurrent: v.pipe(COUNT, v.minValue(1), v.maxValue(100)),
  retrySeconds: COUNT,
  timeoutSeconds: v.pipe(COUNT, v.maxValue(86_400)),
  gracePeriodSeconds: orNull(COUNT),
  deleteEmptyDirData: v.boolean(),
  force: v.boolean(),
});

const IMAGE = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^\w[\w./:@-]{0,255}$/, 'must be the name of an image')),
  isOnNode: v.boolean(),
});

const REPLACER = v.variant('kind', [
  v.strictObject({
    kind: v.literal('machine'),
    version: v.pipe(v.string(), v.regex(/^v\d{1,3}(?:(?:alpha|beta)\d{1,3})?$/, 'must be a version such as v1beta2')),
    namespace: NAME,
    name: NAME,
  }),
  v.strictObject({ kind: v.literal('karpenter') }),
]);

const NODE = v.strictObject({
  node: NAME,
  uid: ID,
  bootId: TEXT,
  zone: orNull(TEXT),
  pool: orNull(TEXT),
  isControlPlane: v.boolean(),
  kubeletVersion: TEXT,
  distribution: v.picklist(DISTRIBUTIONS),
  address: TEXT,
  providerId: TEXT,
  image: orNull(IMAGE),
  replacer: orNull(REPLACER),
  isReady: v.boolean(),
  isZoneBusy: v.boolean(),
  pods: listOf(POD, 2000),
  expected: EXPECTED,
  verification: VERIFICATION,
});

/** The intent, sealed, with the calls that follow from it for the reader. */
export interface PlanFile extends PlanIntent {
  readonly hash: string;
  readonly callsHash: string;
  /** For the reader, as `calls`. */
  readonly summary: string;
  /** Never done: `apply` derives its own, and compares. */
  readonly calls: readonly string[];
}

/** A screen for each node. */
const MAX_SUMMARY = 4 * 1024 * 1024;

const HASH = v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/, 'is not sha256: and 64 hex digits'));

/** For plans that come back from people. Every list and text is bounded; unknown fields are refused. */
export const PLAN_FILE: Schema<PlanFile> = v.strictObject({
  schema: v.literal('oakum.plan/v1'),
  id: v.pipe(v.string(), v.regex(/^plan-[0-9]{8}t[0-9]{6}-[0-9a-f]{8}$/, 'is not the id of a plan')),
  hash: HASH,
  summary: v.pipe(v.string('must be text'), v.maxLength(MAX_SUMMARY, 'is too long')),
  callsHash: HASH,
  createdAt: TIME,
  expiresAt: TIME,
  oakumVersion: TEXT,
  author: TEXT,
  action: v.picklist(PLAN_ACTIONS),
  via: orNull(v.picklist(RESTART_VIAS)),
  cluster: v.strictObject({
    name: v.optional(TEXT),
    context: TEXT,
    address: TEXT,
    uid: ID,
    nodeCount: COUNT,
    notReadyCount: COUNT,
  }),
  why: listOf(REASON, MAX_NODES),
  first: listOf(TEXT, MAX_NODES),
  warnings: listOf(TEXT, 5000),
  leftOut: listOf(v.strictObject({ node: TEXT, why: TEXT }), 10_000),
  policy: POLICY,
  drain: orNull(DRAIN),
  isDirect: v.boolean(),
  nodes: v.pipe(listOf(NODE, MAX_NODES), v.minLength(1, 'is empty')),
  calls: listOf(TEXT, 10_000),
});
