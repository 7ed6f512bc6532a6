/** A small cluster as a plan sees it, and a request for a plan; tests change what they are about. */
import type { ClusterFacts, KubeletFacts, NodeFacts, NodeFinding, PodFacts } from '../../src/act/plan/cluster-facts.ts';
import type { Plan } from '../../src/act/plan/plan.ts';
import { makePlan, type PlanRequest } from '../../src/act/plan/make-plan.ts';
import { sha256 } from './small-plan.ts';

export const AT = 1_794_880_590;

export function aNode(name: string, more: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name,
    uid: `uid-${name}`,
    zone: 'a',
    pool: 'default',
    isControlPlane: false,
    kubeletVersion: 'v1.36.0',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    operatingSystem: 'linux',
    bootId: `boot-${name}`,
    address: '10.0.0.17',
    providerId: '',
    isReady: true,
    isCordoned: false,
    isLeaving: false,
    labels: {},
    annotations: {},
    taints: [],
    trueConditions: ['Ready'],
    conditionTypes: ['Ready'],
    images: ['docker.io/library/busybox:1.36'],
    memoryBytes: 4 * 1024 ** 3,
    ...more,
  };
}

export function aPod(name: string, more: Partial<PodFacts> = {}): PodFacts {
  return {
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    labels: {},
    isRunning: true,
    isReady: true,
    isTerminating: false,
    isMirror: false,
    owner: 'ReplicaSet/web',
    hasProbe: true,
    devices: [],
    drain: { act: 'evict', note: '' },
    ...more,
  };
}

export const A_KUBELET: KubeletFacts = {
  processStartSeconds: AT - 400 * 3600,
  residentBytes: 1.2e9,
  liveHeapBytes: 0.9e9,
  goroutines: 800,
  pods: 30,
  certificateSeconds: null,
};

export function aFinding(node: string, more: Partial<NodeFinding> = {}): NodeFinding {
  return {
    node,
    verdict: 'leak',
    sentence: `${node} leaks live heap`,
    resource: 'live heap',
    unit: 'bytes',
    level: 1.2e9,
    slopePerHour: 2.4e6,
    slopeInterval: [2.2e6, 2.6e6],
    timeToLimitHours: [600, 1200],
    limit: 4 * 1024 ** 3,
    knownLeak: {
      id: 'kubelet-startpodsync-context',
      ref: 'kubernetes#139823',
      title: 'A context stays behind after every pod sync',
      isConfirmed: true,
      fixedIn: ['1.36.3', '1.37.0'],
      sideEffects: [],
    },
    hazards: [],
    incident: null,
    evidence: { where: './w', fileCount: 6, bytes: 1e6, takenAt: '2026-11-17T01:40:00Z', isReadable: true },
    ...more,
  };
}

export function someFacts(nodes: readonly NodeFacts[], more: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    atSeconds: AT,
    context: 'prod',
    address: 'https://10.0.0.1:6443',
    uid: 'cluster-1',
    user: 'ann',
    machineVersion: 'v1beta1',
    nodes,
    pods: new Map(nodes.map(({ name }) => [name, [aPod(`web-${name}`)]])),
    budgets: [],
    kubelets: new Map(nodes.map(({ name }) => [name, A_KUBELET])),
    evictions: new Map(),
    kuredLock: null,
    namespace: { exists: true, enforces: 'privileged' },
    unread: [],
    ...more,
  };
}

export function aRequest(nodes: readonly NodeFacts[], more: Partial<PlanRequest> = {}): PlanRequest {
  return {
    action: 'restart',
    nodes: nodes.map(({ name }) => name),
    findings: new Map(nodes.map(({ name }) => [name, aFinding(name)])),
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
    restart: { via: 'command', template: null, image: null, namespace: 'oakum' },
    drain: {
      before: false,
      maxConcurrent: 5,
      retrySeconds: 300,
      timeoutSeconds: 900,
      gracePeriodSeconds: null,
      deleteEmptyDirData: false,
      force: false,
    },
    isDirect: false,
    force: null,
    oakumVersion: '0.1.0',
    author: null,
    ...more,
  };
}

/** A plan for all nodes, with what the test changes. */
export function planFor(
  nodes: readonly NodeFacts[],
  request: Partial<PlanRequest> = {},
  facts: Partial<ClusterFacts> = {},
): Plan {
  return makePlan(aRequest(nodes, request), someFacts(nodes, facts), () => null, sha256);
}
