/** A process that answers over HTTP. Every outcome of a request is a value, see model/reply.ts. */
import type { Reply, Via, NoAnswerKind } from './reply.ts';
import type { Profile } from '../profile/profile.ts';
import type { JsonRecord } from '../base/json.ts';
import { Failure } from '../base/errors.ts';
import type { CaptureManifest } from '../evidence/capture.ts';

export interface TargetConnection {
  /** As the user named it: `node/worker-17`. */
  readonly target: string;
  /** What answers first on the way. */
  readonly via: Via;
  /** `https://10.0.0.1:6443`, for messages. */
  readonly address: string;
  get(path: string, options: RequestLimits): Promise<Reply>;
}

/** An API server. */
export interface ClusterConnection {
  /** The kubeconfig's context; `in-cluster` inside a pod. */
  readonly context: string;
  readonly address: string;
  /** That of the context, or of `-n`. */
  readonly namespace: string;
  get(path: string, options: RequestLimits): Promise<Reply>;
  post(path: string, body: unknown, options: RequestLimits): Promise<Reply>;
}

export interface RequestLimits {
  /** From opening the connection to the last byte. */
  readonly deadlineSeconds: number;
  /** How much of the body to read; the rest is not read. */
  readonly maxBytes: number;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Sends no credentials, to see what anybody may see. */
  readonly withoutCredentials?: boolean;
  /** For a GET that comes again and again: a TLS connection that another such request left open is used. */
  readonly mayReuse?: boolean;
  /** Receives the body of a 2xx answer as it arrives; the answer then has none. */
  readonly onBody?: (chunk: Uint8Array) => void;
}

/** Sends one HTTP request to a server that somebody else describes: the API server, a kubelet, a Prometheus, a daemon. */
export type SendRequest = (endpoint: Endpoint, request: OutgoingRequest, limits: RequestLimits) => Promise<Reply>;

export interface Endpoint {
  /** Its path precedes the path of every request. */
  readonly base: URL;
  readonly socketPath?: string;
  /** Overrides the proxy of the environment. A SOCKS proxy comes as the credentials' agent instead. */
  readonly proxyUrl?: string;
  readonly tls: TlsSettings;
  /** Default: oakum. */
  readonly userAgent?: string;
  /**
   * Called before each request, because tokens expire. Throws a RequestError if there are none, and soon after the
   * signal aborts.
   */
  readonly credentials?: (signal: AbortSignal) => Promise<Credentials>;
}

export interface TlsSettings {
  readonly serverName?: string;
  /** Accepts any certificate. */
  readonly insecure?: boolean;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** Trusted instead of the system's authorities; also for requests without credentials. */
  readonly ca?: string | Uint8Array;
  /** An agent of node:http, for proxies that need more than a tunnel. */
  readonly agent?: object;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query; begins with a slash. */
  readonly path: string;
  readonly json?: unknown;
  /** Instead of JSON. */
  readonly bytes?: Uint8Array;
  /** The type of the body: patches have types of their own. */
  readonly contentType?: string;
}

/** Why a request was never sent. */
export class RequestError extends Failure {
  readonly kind: NoAnswerKind;

  constructor(kind: NoAnswerKind, message: string) {
    super('no-answer', message);
    this.kind = kind;
  }
}

/** A target behind an endpoint. */
export function endpointConnection(target: string, via: Via, endpoint: Endpoint, send: SendRequest): TargetConnection {
  return {
    target,
    via,
    address: endpoint.socketPath ?? endpoint.base.origin,
    get: (path, limits) => send(endpoint, { method: 'GET', path }, limits),
  };
}

/**
 * A database of metrics over time: Prometheus, Thanos, VictoriaMetrics and others. Answers are those of the Prometheus
 * HTTP API; `formats/range-query` reads them.
 */
export interface RangeRequest {
  readonly query: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly stepSeconds: number;
}

export interface MetricsHistory {
  /** `https://prometheus.example.com`, for messages. */
  readonly address: string;
  /** The values at one moment; now by default. */
  instant(query: string, limits: RequestLimits, atSeconds?: number): Promise<Reply>;
  range(request: RangeRequest, limits: RequestLimits): Promise<Reply>;
}

/** A continuous profiler: profiles of the past. Every method throws a Failure if it cannot answer. */
export type PastKind = 'heap' | 'goroutine';

export interface PastQuery {
  /** Label matchers without braces, such as `service_name="kubelet"`. */
  readonly selector: string;
  /** Which of the processes that the selector finds; all by default. */
  readonly accepts?: ((labels: PastLabels) => boolean) | undefined;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly signal: AbortSignal;
}

export type PastLabels = Readonly<Record<string, string>>;

/** One kind of profile of one process, at times at which there is one, oldest first. */
export interface PastProfiles {
  readonly kind: PastKind;
  /** Those that tell processes apart. */
  readonly labels: PastLabels;
  /** The matchers that select this process, without braces. */
  readonly selector: string;
  readonly atSeconds: readonly number[];
  /** Each profile was taken at its time or up to this long before. */
  readonly withinSeconds: number;
}

export interface PastProfile {
  /** When it was taken. */
  readonly atSeconds: number;
  /** As profile.proto, not compressed. */
  readonly bytes: Uint8Array;
}

export interface ProfileHistory {
  readonly address: string;
  find(query: PastQuery): Promise<readonly PastProfiles[]>;
  /** A profile of one of its times. */
  read(profiles: PastProfiles, atSeconds: number, signal: AbortSignal): Promise<PastProfile>;
}

/** Where profiles come from. */
export interface FetchedProfile {
  readonly profile: Profile;
  /** The URL it was fetched from; undefined for a file. */
  readonly url: string | undefined;
  /** What the reader noticed, a sentence each. */
  readonly notes: readonly string[];
}

export interface ProfileSource {
  /** Reads a file or fetches a URL; throws an Error whose message says what went wrong. */
  fetch(source: string): Promise<FetchedProfile>;
}

/** Credentials in files that the user names. Every method throws a RequestError of kind `credentials`. */
export interface CredentialFiles {
  /** A bearer token. Not cached: issuers of short-lived tokens replace the file. */
  readToken(path: string): Promise<string>;
  /** All of the file but the line break at its end. */
  readPassword(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
}

/**
 * What acting on a cluster takes, as narrow calls. Every outcome is a value: what the API server refused, and what got
 * lost on the way and may have happened all the same.
 */
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

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** The folder that a capture fills. Everything written stays whole, whatever happens. */
export interface CaptureFolder {
  /** As the user named it. */
  readonly path: string;
  /** Undefined if there is none; throws a FormatError if it is not a capture's. */
  readManifest(): Promise<CaptureManifest | undefined>;
  /** Replaces the manifest as a whole; durable when it resolves. Throws a FolderError. */
  writeManifest(manifest: CaptureManifest): Promise<void>;
  /** Compresses what is not compressed yet. Throws a FolderError and leaves nothing half-written. */
  write(name: string, content: Uint8Array): Promise<StoredFile>;
  /** Whether the file is there with that size. */
  has(name: string, bytes: number): Promise<boolean>;
  /** Decompresses a body if it is compressed; undefined if it is damaged or larger than the cap. */
  inflate(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Keeps other captures out, also those of other processes. */
  lock(): Promise<FolderLock>;
}

/** In memory, for a capture that is stored elsewhere once it is complete. */
export interface ScratchFolder extends CaptureFolder {
  /** A file as it was written. */
  content(name: string): Uint8Array | undefined;
}

export type FolderLock =
  | { readonly kind: 'locked'; readonly release: () => Promise<void> }
  | { readonly kind: 'busy'; /** `process 17 on worker-3` */ readonly by: string };

/** The file system refused; the message says why and what to do. */
export class FolderError extends Failure {
  override readonly name = 'FolderError';

  constructor(message: string, options?: ErrorOptions) {
    super('cannot-write', message, options);
  }
}
