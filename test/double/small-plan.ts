/** A plan of one node, whole and small, for tests of what reads and applies plans. */
import { createHash } from 'node:crypto';
import type { NodePlan, Plan } from '../../src/act/plan/plan.ts';
import type { PlanPrecondition, PlanStep, Right } from '../../src/act/plan/plan-step.ts';
import { sealPlan, type UnsealedPlan } from '../../src/act/plan/plan-file.ts';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/oakum/leases/oakum-actions';
const LEASE_RIGHT: Right = { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', namespace: 'oakum' };
const PATCH_NODES: Right = { verb: 'patch', group: '', resource: 'nodes', namespace: null };

function step(id: string, of: Pick<PlanStep, 'kind' | 'call'> & Partial<PlanStep>): PlanStep {
  const node = id.startsWith('plan/') ? null : (id.split('/')[0] ?? null);
  const rest = { rights: [], preconditions: [], isFinal: false, undo: null, timeoutSeconds: 60 };
  return { ...rest, id, node, sentence: `${of.kind} ${node ?? 'the plan'}`, ...of };
}

function annotate(node: string, value: string | null): PlanStep['call'] {
  return {
    kind: 'request',
    method: 'PATCH',
    path: `/api/v1/nodes/${node}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { 'oakum.dev/plan': value } } },
  };
}

function nodePlan(node: string, id: string): NodePlan {
  const preconditions: PlanPrecondition[] = [
    { kind: 'node-uid', node, uid: `uid-of-${node}` },
    { kind: 'node-ready', node },
    { kind: 'lock-held' },
  ];
  return {
    node,
    uid: `uid-of-${node}`,
    zone: 'a',
    pool: null,
    isControlPlane: false,
    kubeletVersion: 'v1.36.0',
    osImage: 'Debian GNU/Linux 12',
    distribution: 'systemd',
    steps: [
      step(`${node}/announce`, {
        kind: 'announce',
        call: annotate(node, id),
        rights: [PATCH_NODES],
        preconditions,
        undo: { sentence: `removes the annotation from ${node}`, call: annotate(node, null) },
      }),
      step(`${node}/restart`, {
        kind: 'restart',
        call: { kind: 'command', argv: ['ssh', node, 'sudo', 'systemctl', 'restart', 'kubelet'] },
        preconditions,
        isFinal: true,
      }),
      step(`${node}/wait-ready`, {
        kind: 'wait-ready',
        call: { kind: 'wait-ready', path: `/api/v1/nodes/${node}`, stableSeconds: 30 },
      }),
      step(`${node}/withdraw`, { kind: 'withdraw', call: annotate(node, null), rights: [PATCH_NODES] }),
    ],
    expected: {
      sentence: 'memory back to about 110 MiB',
      level: 115_343_360,
      returnsInHours: [200, null],
      isFixedByRestart: false,
      awaySeconds: [2, 15],
      blinks: [],
      blinkingPods: [],
    },
    verification: {
      readyWithinSeconds: 120,
      warmUpSeconds: 600,
      decidedAfterHours: 4.5,
      before: {
        at: '2026-11-17T01:56:30Z',
        processStartSeconds: 1_794_000_000.25,
        bootId: 'b',
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
      checks: ['the kubelet started again'],
    },
  };
}

/** The nodes one after another, in waves of one. */
export function smallPlan(nodes: readonly string[] = ['worker-17'], change: Partial<UnsealedPlan> = {}): Plan {
  const content = (id: string): UnsealedPlan => ({
    schema: 'oakum.plan/v1',
    createdAt: '2026-11-17T01:56:30Z',
    expiresAt: '2026-11-17T02:26:30Z',
    oakumVersion: '0.1.0',
    action: 'restart',
    via: 'command',
    cluster: { context: 'prod', address: 'https://10.0.0.1:6443', uid: 'c', nodeCount: 5, notReadyCount: 0 },
    sentence: `Restart the kubelet of ${nodes.join(', ')}.`,
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
    before: [
      step('plan/lock', {
        kind: 'lock',
        call: { kind: 'lease-acquire', path: LEASE, durationSeconds: 60 },
        rights: [LEASE_RIGHT],
        undo: { sentence: 'releases the lock', call: { kind: 'lease-release', path: LEASE } },
      }),
    ],
    waves: nodes.map((node, index) => ({
      number: index + 1,
      isCanary: index === 0,
      thenWaitSeconds: index === 0 && nodes.length > 1 ? 600 : 0,
      nodes: [nodePlan(node, id)],
    })),
    after: [
      step('plan/unlock', { kind: 'unlock', call: { kind: 'lease-release', path: LEASE }, rights: [LEASE_RIGHT] }),
    ],
    rights: [{ ...PATCH_NODES, isAllowed: true, steps: nodes.map(node => `${node}/announce`) }],
    ...change,
  });
  return sealPlan(content, sha256);
}
