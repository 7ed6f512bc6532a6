/**
 * A plan: what `oakum plan` writes and `oakum apply` does (docs/plan-format.md). Plain data; what is not known is null.
 *
 *     PlanIntent            the file: what is to be done to which nodes, why, and within which budget
 *       nodes[]             each with its identity and what was measured
 *
 *     Plan                  derived from it by one pure function (derive-plan.ts), when it is made and again by apply
 *       before[]            steps for the whole plan: the lock
 *       waves[]             nodes that are worked on at the same time; the first is the canary
 *         nodes[]
 *           steps[]         in order; each with its call, rights, preconditions, and undo or isFinal
 *       after[]             the lock is released
 *
 * No program, path or body comes from a file: whoever can edit one can write any call, and seal it again.
 */
import type { PlannedPod, PlanStep, Right } from './plan-step.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { Verdict } from '../../judge/verdict.ts';

export type PlanAction = 'restart' | 'cordon' | 'drain' | 'replace';

export const PLAN_ACTIONS: readonly PlanAction[] = ['restart', 'cordon', 'drain', 'replace'];

export type RestartVia = 'command' | 'pod' | 'print';

export const RESTART_VIAS: readonly RestartVia[] = ['command', 'pod', 'print'];

/** What a plan file says. */
export interface PlanIntent {
  readonly schema: 'oakum.plan/v1';
  /** `plan-20261117t015630-1a2b3c4d`: when, and the first digits of a hash of the content. */
  readonly id: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** From then on `apply` refuses it. */
  readonly expiresAt: string;
  readonly oakumVersion: string;
  /** Who made it, as the API server knows them. */
  readonly author: string;
  readonly action: PlanAction;
  /** Null unless the kubelet is restarted. */
  readonly via: RestartVia | null;
  readonly cluster: PlanCluster;
  /** One per node, in the order of the work. */
  readonly why: readonly PlanReason[];
  /** Do this instead or first: an upgrade that has the fix. */
  readonly first: readonly string[];
  /** What the reader should know before saying yes. */
  readonly warnings: readonly string[];
  /** Nodes that were asked for and are not in the plan. */
  readonly leftOut: readonly { readonly node: string; readonly why: string }[];
  readonly policy: PlanPolicy;
  /** Null if no pods are evicted. */
  readonly drain: DrainChoice | null;
  /** The metrics of kubelets are read at their own port: `nodes/metrics` is enough for that. */
  readonly isDirect: boolean;
  readonly nodes: readonly NodeIntent[];
}

/** The intent with everything that follows from it. */
export interface Plan extends Omit<PlanIntent, 'nodes'> {
  /** `sha256:` and 64 hex digits: of the file, so that one that was edited by mistake is found. */
  readonly hash: string;
  /** The same of the calls with their order and conditions: who approves a plan approves this. */
  readonly callsHash: string;
  /** What it is about, in one sentence. */
  readonly sentence: string;
  readonly before: readonly PlanStep[];
  readonly waves: readonly PlanWave[];
  readonly after: readonly PlanStep[];
  /** All rights that the steps need. */
  readonly rights: readonly NeededRight[];
}

/** How pods are evicted. */
export interface DrainChoice {
  readonly maxConcurrent: number;
  readonly retrySeconds: number;
  readonly timeoutSeconds: number;
  readonly gracePeriodSeconds: number | null;
  readonly deleteEmptyDirData: boolean;
  /** Also pods that no controller brings back. */
  readonly force: boolean;
}

/** A plan is for one cluster: its uid is that of the namespace kube-system. */
export interface PlanCluster {
  /** In the watch of several clusters that made the plan. */
  readonly name?: string | undefined;
  readonly context: string;
  readonly address: string;
  readonly uid: string;
  readonly nodeCount: number;
  readonly notReadyCount: number;
}

export interface PlanReason {
  readonly node: string;
  readonly verdict: Verdict;
  /** The finding in one sentence. */
  readonly sentence: string;
  readonly resource: Resource | null;
  readonly unit: ResourceUnit | null;
  readonly level: number | null;
  readonly slopePerHour: number | null;
  /** 90 % interval. */
  readonly timeToLimitHours: readonly [low: number, high: number | null] | null;
  readonly knownLeak: PlannedLeak | null;
  /** Of `oakum watch`. */
  readonly incident: string | null;
  readonly evidence: PlanEvidence | null;
  /** Why a gate was overruled with `--force`; null if none was. */
  readonly forcedBecause: string | null;
}

export interface PlannedLeak {
  readonly id: string;
  readonly ref: string;
  readonly title: string;
  readonly isConfirmed: boolean;
  readonly fixedIn: readonly string[];
  readonly sideEffects: readonly string[];
}

/** What was saved before the act; `where` is a folder, or the address of a watch and its incident. */
export interface PlanEvidence {
  readonly where: string;
  readonly fileCount: number;
  readonly bytes: number;
  /** RFC 3339. */
  readonly takenAt: string | null;
  readonly isReadable: boolean;
}

/** Budgets, and what makes `apply` stop. */
export interface PlanPolicy {
  readonly maxConcurrent: number;
  readonly maxPerHour: number;
  /** A share of all nodes; at or above it nothing more is begun. */
  readonly maxNotReadyPercent: number;
  readonly stopAtFirstFailure: boolean;
  /** Between two acts on one node. */
  readonly coolDownSeconds: number;
  /** Between the canary and the second wave. */
  readonly canaryWaitSeconds: number;
  /** An intrinsic leak is not restarted again within its own return time. */
  readonly restartAgain: boolean;
  /** `apply` refuses an older plan. */
  readonly maxAgeSeconds: number;
  readonly lock: { readonly namespace: string; readonly name: string; readonly durationSeconds: number };
}

/** Nodes worked on at the same time: no two of one zone or pool, never a control plane beside another node. */
export interface PlanWave {
  readonly number: number;
  readonly isCanary: boolean;
  /** Before the next wave. */
  readonly thenWaitSeconds: number;
  readonly nodes: readonly NodePlan[];
}

/** One node of a plan: who it is, what was measured, what is expected. Its steps are derived from this. */
export interface NodeIntent {
  readonly node: string;
  readonly uid: string;
  /** '' if it has none. */
  readonly bootId: string;
  readonly zone: string | null;
  readonly pool: string | null;
  readonly isControlPlane: boolean;
  readonly kubeletVersion: string;
  readonly distribution: Distribution;
  /** These fill in a command; `apply` compares them with the Node. */
  readonly address: string;
  readonly providerId: string;
  /** For the pod that restarts the kubelet; null if there is none. */
  readonly image: RestartImage | null;
  /** What brings a new node when this one is deleted; null if nothing does, or it is not replaced. */
  readonly replacer: NodeReplacer | null;
  /** When the plan was made. A restart of a node that is not needs a reason. */
  readonly isReady: boolean;
  /** Another node of the zone was cordoned or not Ready already: then the zone is not asked about. */
  readonly isZoneBusy: boolean;
  /** Empty unless they are evicted. */
  readonly pods: readonly PlannedPod[];
  readonly expected: ExpectedEffect;
  readonly verification: Verification;
}

export interface RestartImage {
  readonly name: string;
  /** It need not be pulled. */
  readonly isOnNode: boolean;
}

export type NodeReplacer =
  /** Cluster API, by the Machine that the node names; `version` is one that the API server serves. */
  | { readonly kind: 'machine'; readonly version: string; readonly namespace: string; readonly name: string }
  | { readonly kind: 'karpenter' };

export interface NodePlan extends NodeIntent {
  readonly steps: readonly PlanStep[];
}

/** How the kubelet is run: this decides the command that restarts it. */
export const DISTRIBUTIONS = ['systemd', 'k3s', 'rke2', 'k0s', 'microk8s', 'talos', 'bottlerocket', 'windows'] as const;

export type Distribution = (typeof DISTRIBUTIONS)[number];

export interface ExpectedEffect {
  /** "memory back to about 110 MiB; if the leak is intrinsic it is at the limit again in 9 days" */
  readonly sentence: string;
  /** The level of youth, in the unit of the resource. */
  readonly level: number | null;
  /** From the restart to the limit, at the slope before; 90 % interval. */
  readonly returnsInHours: readonly [low: number, high: number | null] | null;
  /** What is interrupted, and for how long: pods that are not Ready for a moment, open streams. */
  readonly blinks: readonly string[];
  /** Ready pods that leave their EndpointSlice for a moment: `namespace/name`. */
  readonly blinkingPods: readonly string[];
}

/** What `oakum verify` compares with. */
export interface Verification {
  /** From the restart on, before memory and goroutines are compared. */
  readonly warmUpSeconds: number;
  /** Hours after the restart at which the slope decides; null if the slope before is not known. */
  readonly decidedAfterHours: number | null;
  readonly before: VerificationBaseline;
}

export interface VerificationBaseline {
  /** RFC 3339: when it was read. */
  readonly at: string;
  readonly processStartSeconds: number | null;
  readonly residentBytes: number | null;
  readonly liveHeapBytes: number | null;
  readonly goroutines: number | null;
  readonly pods: number | null;
  readonly runningPods: number;
  readonly resource: Resource | null;
  readonly slopePerHour: number | null;
  /** 90 % interval. */
  readonly slopeInterval: readonly [low: number, high: number] | null;
  readonly limit: number | null;
}

export interface NeededRight extends Right {
  /** Ids of the steps that need it. */
  readonly steps: readonly string[];
}
