/** One step of a plan. Each has exactly one call, derived from the intent; `apply` makes that call and no other. */

export type StepKind =
  | 'lock'
  | 'announce'
  | 'cordon'
  | 'drain'
  | 'restart'
  | 'wait-ready'
  | 'delete-node'
  | 'uncordon'
  | 'withdraw'
  | 'verify'
  | 'unlock';

export interface PlanStep {
  /** Unique in the plan: `worker-17/cordon`, `plan/lock`. The log and a resumed apply refer to it. */
  readonly id: string;
  readonly kind: StepKind;
  /** Null: a step of the whole plan. */
  readonly node: string | null;
  readonly sentence: string;
  readonly call: StepCall;
  readonly rights: readonly Right[];
  /** Read again just before the step; if one does not hold, nothing is done. */
  readonly preconditions: readonly PlanPrecondition[];
  /** It cannot be undone. */
  readonly isFinal: boolean;
  /** Null if there is nothing to undo, or no way. */
  readonly undo: StepUndo | null;
  readonly timeoutSeconds: number;
}

export interface StepUndo {
  readonly sentence: string;
  readonly call: StepCall;
}

/** As in a rule of RBAC. */
export interface Right {
  readonly verb: string;
  /** '' is the core group. */
  readonly group: string;
  /** With its subresource: `pods/eviction`. */
  readonly resource: string;
  /** Null: cluster-scoped, or in every namespace. */
  readonly namespace: string | null;
}

export type StepCall =
  | RequestCall
  /** Takes the Lease: GET, then POST or PUT with the resourceVersion that was read. Renewed until it is released. */
  | { readonly kind: 'lease-acquire'; readonly path: string; readonly durationSeconds: number }
  | { readonly kind: 'lease-release'; readonly path: string }
  | DrainCall
  /** Run without a shell. */
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  | PodCall
  /** Someone else runs these; `apply` prints them and waits until the restart is seen. */
  | { readonly kind: 'print'; readonly commands: readonly string[] }
  | { readonly kind: 'wait-ready'; readonly path: string; readonly stableSeconds: number }
  | { readonly kind: 'verify'; readonly path: string };

/** Sent exactly as it is. */
export interface RequestCall {
  readonly kind: 'request';
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly contentType: string | null;
  readonly body: JsonValue;
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * Each pod is evicted by POST .../pods/NAME/eviction with its UID as precondition. Pods are listed again: one that came
 * since is treated by the same rules.
 */
export interface DrainCall {
  readonly kind: 'drain';
  readonly node: string;
  readonly maxConcurrent: number;
  /** How long a pod that a budget refuses is tried again. */
  readonly retrySeconds: number;
  /** Null: each pod's own. */
  readonly gracePeriodSeconds: number | null;
  readonly deleteEmptyDirData: boolean;
  /** Also pods that no controller brings back. */
  readonly force: boolean;
  readonly pods: readonly PlannedPod[];
}

export interface PlannedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly act: 'evict' | 'leave';
  /** Why it is left, or what is lost with it; '' if there is nothing to say. */
  readonly note: string;
  /** What the server answered to a dry run of the eviction. */
  readonly dryRun: 'allowed' | 'refused' | 'waits' | 'not-asked';
}

/** One privileged pod in a namespace of its own, removed whatever happens. */
export interface PodCall {
  readonly kind: 'pod';
  readonly path: string;
  readonly manifest: JsonValue;
  /** Whether the namespace must be made first; its manifest. */
  readonly namespace: JsonValue;
}

/** What must hold just before a step. Each is read from the API server again. */
export type PlanPrecondition =
  | { readonly kind: 'node-uid'; readonly node: string; readonly uid: string }
  | { readonly kind: 'boot-id'; readonly node: string; readonly bootId: string }
  | { readonly kind: 'kubelet-version'; readonly node: string; readonly version: string }
  | { readonly kind: 'node-ready'; readonly node: string }
  /** They fill in the command, and no other node has them. */
  | { readonly kind: 'own-address'; readonly node: string; readonly address: string; readonly providerId: string }
  /** The restart has not happened yet: the process is still the one that was judged. */
  | { readonly kind: 'process-start'; readonly node: string; readonly startSeconds: number }
  | { readonly kind: 'not-cordoned'; readonly node: string }
  /** Our annotation says that this plan cordoned it. */
  | { readonly kind: 'cordoned-by-us'; readonly node: string }
  /** kured's lock and annotations, medik8s' taint, a plan of ours, a repair by node-problem-detector. */
  | { readonly kind: 'no-foreign-work'; readonly node: string }
  /** No pod that a restart of the kubelet may kill, because it has a device. */
  | { readonly kind: 'no-device-pods'; readonly node: string }
  | { readonly kind: 'not-ready-below'; readonly percent: number }
  /** The share of the other nodes that Oakum has cordoned or that are not Ready. */
  | { readonly kind: 'cordoned-below'; readonly node: string; readonly percent: number }
  /** The Machine at the path is that of the node, by its own status. */
  | { readonly kind: 'machine-of-node'; readonly node: string; readonly path: string }
  /** No other node of the zone is cordoned or not Ready. */
  | { readonly kind: 'zone-quiet'; readonly zone: string; readonly node: string }
  /** No pause, and within a maintenance window. */
  | { readonly kind: 'cluster-allows' }
  /** We hold the Lease. */
  | { readonly kind: 'lock-held' }
  /** The namespace lets privileged pods in, or does not exist yet. */
  | { readonly kind: 'privileged-namespace'; readonly namespace: string };

export type PreconditionKind = PlanPrecondition['kind'];
