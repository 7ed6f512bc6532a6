/** The shape of a step in a plan file. */
import * as v from 'valibot';
import { type PlanPrecondition, type PlanStep, STEP_KINDS, type StepCall } from './plan-step.ts';
import { COUNT, JSON_VALUE, NAME, NUMBER, type Schema, TEXT, listOf, orNull } from './plan-values.ts';

const PATH = v.pipe(NAME, v.regex(/^\/(?:api|apis)\/(?!.*\.\.)/, 'must be a path of the API server'));

const RIGHT = v.strictObject({ verb: NAME, group: TEXT, resource: NAME, namespace: orNull(NAME) });

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

export const STEP: Schema<PlanStep> = v.strictObject({
  id: NAME,
  kind: v.picklist(STEP_KINDS),
  node: orNull(NAME),
  sentence: TEXT,
  call: CALL,
  rights: listOf(RIGHT, 50),
  preconditions: listOf(PRECONDITION, 100),
  isFinal: v.boolean(),
  undo: orNull(v.strictObject({ sentence: TEXT, call: CALL })),
  timeoutSeconds: v.pipe(COUNT, v.maxValue(86_400)),
});
