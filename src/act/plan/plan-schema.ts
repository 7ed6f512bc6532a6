/** The shape of a plan file, for plans that come back from people. Every list and text is bounded; unknown fields are refused. */
import * as v from 'valibot';
import { PLAN_ACTIONS, type Plan, RESTART_VIAS } from './plan.ts';
import { RESOURCES } from '../../evidence/resource.ts';
import { VERDICTS } from '../../judge/verdict.ts';
import { STEP } from './step-schema.ts';
import { COUNT, NAME, NUMBER, RANGE, type Schema, TEXT, TIME, listOf, orNull } from './plan-values.ts';

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
