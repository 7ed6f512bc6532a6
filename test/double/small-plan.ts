/** A plan of one node, whole and small, for tests of what reads and applies plans. */
import { createHash } from 'node:crypto';
import type { NodeIntent, Plan, PlanIntent } from '../../src/act/plan/plan.ts';
import { canonicalJson, planFile, readPlan, sealAs, sealPlan } from '../../src/act/plan/plan-file.ts';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads a plan file as an apply does that was given this command. */
export function readToAct(bytes: Uint8Array, template: string | null = null, path = 'plan.yaml'): Plan {
  return readPlan(bytes, path, sha256, { to: 'act', oakumVersion: '0.1.0', template });
}

/** Any field of it may be forged. */
export type AnyFile = Record<string, any>;

/** A file as whoever can edit it seals it again: the hash has no key. */
export function resealed(plan: object, change: (file: AnyFile) => void): AnyFile {
  const file = structuredClone(plan) as AnyFile;
  change(file);
  const { hash: _, ...content } = file;
  return { ...file, hash: `sha256:${sha256(Buffer.from(canonicalJson(content)))}` };
}

/** The same made with care: everything that is derived fits. */
export function resealedWithCare(plan: object, template: string, change: (file: AnyFile) => void): AnyFile {
  const file = structuredClone(plan) as AnyFile;
  change(file);
  const { hash: _1, callsHash: _2, calls: _3, summary: _4, ...intent } = file;
  return planFile(sealAs(intent as PlanIntent, template, sha256));
}

export const SMALL_DRAIN = {
  maxConcurrent: 3,
  retrySeconds: 60,
  timeoutSeconds: 600,
  gracePeriodSeconds: null,
  deleteEmptyDirData: false,
  force: false,
};

export function smallNode(node: string): NodeIntent {
  return {
    node,
    uid: `uid-of-${node}`,
    bootId: `boot-${node}`,
    zone: null,
    pool: null,
    isControlPlane: false,
    kubeletVersion: 'v1.36.0',
    distribution: 'systemd',
    address: node,
    providerId: '',
    image: null,
    replacer: null,
    isReady: true,
    isZoneBusy: false,
    pods: [],
    expected: {
      sentence: 'memory back to about 110 MiB',
      level: 115_343_360,
      returnsInHours: [200, null],
      blinks: [],
      blinkingPods: [],
    },
    verification: {
      warmUpSeconds: 600,
      decidedAfterHours: 4.5,
      before: {
        at: '2026-11-17T01:56:30Z',
        processStartSeconds: 1_794_000_000.25,
        residentBytes: 1_000_000_000,
        liveHeapBytes: 700_000_000,
        goroutines: 900,
        pods: 30,
        runningPods: 30,
        resource: 'live heap',
        slopePerHour: 2_400_000,
        slopeInterval: [2_200_000, 2_600_000],
        limit: 4_000_000_000,
      },
    },
  };
}

/** The nodes one after another, in waves of one. */
export function smallPlan(nodes: readonly string[] = ['worker-17'], change: Partial<PlanIntent> = {}): Plan {
  const intent = {
    schema: 'oakum.plan/v1' as const,
    createdAt: '2026-11-17T01:56:30Z',
    expiresAt: '2026-11-17T02:26:30Z',
    oakumVersion: '0.1.0',
    author: 'ann',
    action: 'restart' as const,
    via: 'command' as const,
    cluster: { context: 'prod', address: 'https://10.0.0.1:6443', uid: 'c', nodeCount: 5, notReadyCount: 0 },
    why: [],
    first: [],
    warnings: [],
    leftOut: [],
    policy: {
      maxConcurrent: 1,
      maxPerHour: 10,
      maxNotReadyPercent: 20,
      stopAtFirstFailure: true,
      coolDownSeconds: 3600,
      canaryWaitSeconds: 600,
      restartAgain: false,
      maxAgeSeconds: 1800,
      lock: { namespace: 'oakum', name: 'oakum-actions', durationSeconds: 60 },
    },
    drain: null,
    isDirect: false,
    nodes: nodes.map(smallNode),
  };
  return sealPlan({ ...intent, ...change }, null, sha256);
}
