/**
 * A plan: what `oakum plan` writes and `oakum apply` does (docs/plan-format.md). Plain data; what is not known is null.
 *
 *     Plan
 *       why[]       verdict, evidence and incident of each node
 *       policy      budget, and when to stop
 *       before[]    steps for the whole plan: the lock
 *       waves[]     nodes that are worked on at the same time; the first is the canary
 *         nodes[]
 *           steps[]   in order; each with its call, rights, preconditions, and undo or isFinal
 *       after[]     the lock is released
 *
 * `hash` covers everything else, so that a plan that was reviewed is the one that is applied.
 */
import type { PlanStep, Right } from './plan-step.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { Verdict } from '../../judge/verdict.ts';

export type PlanAction = 'restart' | 'cordon' | 'drain' | 'replace';

export const PLAN_ACTIONS: readonly PlanAction[] = ['restart', 'cordon', 'drain', 'replace'];

export type RestartVia = 'command' | 'pod' | 'print';

export const RESTART_VIAS: readonly RestartVia[] = ['command', 'pod', 'print'];

export interface Plan {
  readonly schema: 'oakum.plan/v1';
  /** `plan-20261117t015630-1a2b3c4d`: when, and the first digits of a hash of the content. */
  readonly id: string;
  /** `sha256:` and 64 hex digits, over the canonical JSON of everything but this. */
  readonly hash: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** From then on `apply` refuses it. */
  readonly expiresAt: string;
  readonly oakumVersion: string;
  readonly action: PlanAction;
  /** Null unless the kubelet is restarted. */
  readonly via: RestartVia | null;
  readonly cluster: PlanCluster;
  /** What it is about, in one sentence. */
  readonly sentence: string;
  /** One per node, in the order of the work. */
  readonly why: readonly PlanReason[];
  /** Do this instead or first: an upgrade that has the fix. */
  readonly first: readonly string[];
  /** What the reader should know before saying yes. */
  readonly warnings: readonly string[];
  /** Nodes that were asked for and are not in the plan. */
  readonly leftOut: readonly { readonly node: string; readonly why: string }[];
  readonly policy: PlanPolicy;
  readonly before: readonly PlanStep[];
  readonly waves: readonly PlanWave[];
  readonly after: readonly PlanStep[];
  /** All rights that the steps need, as the API server answered when the plan was made. */
  readonly rights: readonly CheckedRight[];
}

/** A plan is for one cluster: its uid is that of the namespace kube-system. */
export interface PlanCluster {
  /** In the watch of several clusters that made the plan. */
  readonly name?: string | undefined;
  readonly context: string;
  readonly address: string;
  readonly uid: string | null;
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

export interface NodePlan {
  readonly node: string;
  readonly uid: string;
  readonly zone: string | null;
  readonly pool: string | null;
  readonly isControlPlane: boolean;
  readonly kubeletVersion: string;
  readonly osImage: string;
  readonly distribution: Distribution;
  readonly steps: readonly PlanStep[];
  readonly expected: ExpectedEffect;
  readonly verification: Verification;
}

/** How the kubelet is run: this decides the command that restarts it. */
export type Distribution = 'systemd' | 'k3s' | 'rke2' | 'talos' | 'bottlerocket' | 'windows';

export interface ExpectedEffect {
  /** "memory back to about 110 MiB; if the leak is intrinsic it is at the limit again in 9 days" */
  readonly sentence: string;
  /** The level of youth, in the unit of the resource. */
  readonly level: number | null;
  /** From the restart to the limit, at the slope before; 90 % interval. */
  readonly returnsInHours: readonly [low: number, high: number | null] | null;
  readonly isFixedByRestart: boolean;
  /** How long the kubelet is away. */
  readonly awaySeconds: readonly [low: number, high: number];
  /** What is interrupted, and for how long: pods that are not Ready for a moment, open streams. */
  readonly blinks: readonly string[];
  /** Ready pods that leave their EndpointSlice for a moment: `namespace/name`. */
  readonly blinkingPods: readonly string[];
}

/** What `oakum verify` compares with. */
export interface Verification {
  readonly readyWithinSeconds: number;
  /** From the restart on, before memory and goroutines are compared. */
  readonly warmUpSeconds: number;
  /** Hours after the restart at which the slope decides; null if the slope before is not known. */
  readonly decidedAfterHours: number | null;
  readonly before: VerificationBaseline;
  /** In words, in order. */
  readonly checks: readonly string[];
}

export interface VerificationBaseline {
  /** RFC 3339: when it was read. */
  readonly at: string;
  readonly processStartSeconds: number | null;
  readonly bootId: string | null;
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

export interface CheckedRight extends Right {
  /** Null: the server was not asked, or did not answer. */
  readonly isAllowed: boolean | null;
  /** Ids of the steps that need it. */
  readonly steps: readonly string[];
}
