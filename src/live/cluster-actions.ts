/**
 * What acting on a cluster takes, as narrow calls. Every outcome is a value: what the API server refused, and what got
 * lost on the way and may have happened all the same.
 */
import type { JsonRecord } from '../base/json.ts';

export type Outcome<T = JsonRecord> = Done<T> | Refused | Lost;

export interface Done<T> {
  readonly kind: 'done';
  readonly value: T;
}

export interface Refused {
  readonly kind: 'refused';
  readonly status: number;
  /** Kubernetes' word for it: `Conflict`, `AlreadyExists`, `TooManyRequests`. */
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
  readonly retryAfterSeconds: number | undefined;
}

/** Nothing answered. */
export interface Lost {
  readonly kind: 'lost';
  readonly message: string;
  /** The request was sent, or may have been. */
  readonly mayHaveHappened: boolean;
}

/** A name alone does not identify a pod: another may have taken it since. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface EvictionOptions {
  /** Undefined: the pod's own. */
  readonly gracePeriodSeconds?: number;
  /** Asks the server whether a budget would refuse it. */
  readonly dryRun?: boolean;
}

export interface ObjectList {
  readonly items: readonly JsonRecord[];
  /** Where a watch continues. */
  readonly version: string;
}

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonRecord;
}

export interface ClusterActions {
  /** For messages. */
  readonly address: string;
  /** Any request, exactly as it is. */
  request(request: ActionRequest): Promise<Outcome>;
  nodes(): Promise<Outcome<ObjectList>>;
  node(name: string): Promise<Outcome>;
  /** JSON merge patch: null removes a field; `metadata.resourceVersion` makes it compare-and-swap. */
  patchNode(name: string, patch: JsonRecord): Promise<Outcome>;
  /** Adds conditions, or replaces those of the same type. */
  patchNodeConditions(name: string, conditions: readonly JsonRecord[]): Promise<Outcome>;
  podsOn(node: string): Promise<Outcome<ObjectList>>;
  /** Changes of the pods on a node since `version`, until `seconds` have passed or the signal aborts. */
  watchPodsOn(node: string, options: PodWatch): Promise<Outcome<undefined>>;
  pod(namespace: string, name: string): Promise<Outcome>;
  createPod(namespace: string, pod: JsonRecord): Promise<Outcome>;
  deletePod(pod: PodIdentity): Promise<Outcome>;
  evict(pod: PodIdentity, options?: EvictionOptions): Promise<Outcome>;
  daemonSet(namespace: string, name: string): Promise<Outcome>;
  /** The DaemonSets of all namespaces: kured keeps its lock on its own. */
  daemonSets(): Promise<Outcome<ObjectList>>;
  lease(namespace: string, name: string): Promise<Outcome>;
  createLease(namespace: string, lease: JsonRecord): Promise<Outcome>;
  /** Refused with `Conflict` if its `metadata.resourceVersion` is not the latest. */
  replaceLease(namespace: string, name: string, lease: JsonRecord): Promise<Outcome>;
  /** events.k8s.io/v1. */
  createEvent(namespace: string, event: JsonRecord): Promise<Outcome>;
}

export interface ActionRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query; begins with a slash. */
  readonly path: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

export interface PodWatch {
  readonly version: string;
  readonly seconds: number;
  readonly onChange: (change: ObjectChange) => void;
  readonly signal: AbortSignal;
}
