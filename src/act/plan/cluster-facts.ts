/** What a plan needs to know of a cluster, read once when the plan is made. */
import type { JsonRecord } from '../../base/json.ts';
import type { Right } from './plan-step.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { PlanEvidence, PlannedLeak } from './plan.ts';

export interface ClusterFacts {
  /** Unix seconds: when it was read. */
  readonly atSeconds: number;
  /** Where there are several. */
  readonly clusterName?: string | undefined;
  readonly context: string;
  readonly address: string;
  readonly uid: string | null;
  /** As the API server knows whoever asks; null if it does not say. */
  readonly user: string | null;
  /** Of Cluster API's Machines, as the API server serves them. */
  readonly machineVersion: string;
  /** All nodes of the cluster. */
  readonly nodes: readonly NodeFacts[];
  /** Only for the nodes to be worked on. */
  readonly pods: ReadonlyMap<string, readonly PodFacts[]>;
  readonly budgets: readonly BudgetFacts[];
  /** Only for the nodes to be worked on; absent if the metrics could not be read. */
  readonly kubelets: ReadonlyMap<string, KubeletFacts>;
  /** By `namespace/name` of the pod. */
  readonly evictions: ReadonlyMap<string, EvictionAnswer>;
  /** kured's lock, if somebody holds it: a sentence. */
  readonly kuredLock: string | null;
  /** Whether the namespace of the lock exists, and the Pod Security level that it enforces. */
  readonly namespace: { readonly exists: boolean; readonly enforces: string | null } | null;
  /** What could not be read, and what that costs. */
  readonly unread: readonly string[];
}

export interface NodeFacts {
  readonly name: string;
  readonly uid: string;
  readonly zone: string | null;
  readonly pool: string | null;
  readonly isControlPlane: boolean;
  readonly kubeletVersion: string;
  readonly osImage: string;
  readonly operatingSystem: string;
  readonly bootId: string;
  readonly address: string;
  readonly providerId: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  /** Its object is being deleted. */
  readonly isLeaving: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly string[];
  /** Types whose status is True. */
  readonly trueConditions: readonly string[];
  /** All types that there are. */
  readonly conditionTypes: readonly string[];
  /** Names of images that it has. */
  readonly images: readonly string[];
  readonly memoryBytes: number | null;
}

export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isRunning: boolean;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly isMirror: boolean;
  readonly owner: string | null;
  /** A kubelet that starts runs these before the pod is Ready again. */
  readonly hasProbe: boolean;
  /** Extended resources and claims: `nvidia.com/gpu`. */
  readonly devices: readonly string[];
  readonly drain: { readonly act: 'evict' | 'leave' | 'refuse'; readonly note: string };
}

export interface BudgetFacts {
  readonly namespace: string;
  readonly name: string;
  /** Null selects nothing. */
  readonly selector: JsonRecord | null;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
}

/** The server's answer to a dry run of an eviction. */
export interface EvictionAnswer {
  /** `waits`: alone it would be allowed, with the others of its budget not at once. */
  readonly outcome: 'allowed' | 'refused' | 'waits' | 'not-asked';
  /** The budget that refuses; '' if none is named. */
  readonly budget: string;
  readonly message: string;
}

/** From one scrape of the kubelet's metrics. */
export interface KubeletFacts {
  readonly processStartSeconds: number | null;
  readonly residentBytes: number | null;
  readonly liveHeapBytes: number | null;
  readonly goroutines: number | null;
  readonly pods: number | null;
  /** Seconds until its client certificate expires. */
  readonly certificateSeconds: number | null;
}

/** What is known about the leak of one node, from a triage, an analysis or a watch. */
export interface NodeFinding {
  readonly node: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly resource: Resource | null;
  readonly unit: ResourceUnit | null;
  readonly level: number | null;
  readonly slopePerHour: number | null;
  readonly slopeInterval: readonly [low: number, high: number] | null;
  readonly timeToLimitHours: readonly [low: number, high: number | null] | null;
  readonly limit: number | null;
  readonly knownLeak: PlannedLeak | null;
  /** What the catalogue or the analysis warns of. */
  readonly hazards: readonly string[];
  readonly incident: string | null;
  readonly evidence: PlanEvidence | null;
}

/** What the API server says about a right; null if it did not say. */
export type RightAnswer = (right: Right) => boolean | null;
