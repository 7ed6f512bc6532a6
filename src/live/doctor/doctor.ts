/** The result of `oakum doctor`: what can be observed, what that can prove, and what is dangerous. */
import type { Explanation } from './explanation.ts';

export interface DoctorReport {
  readonly schema: 'oakum.doctor/v1';
  /** `node/worker-17`. */
  readonly target: string;
  /** What answers first on the way, and its address. */
  readonly via: string;
  readonly address: string;
  /** From the kubeconfig; undefined if the target is not in a cluster. */
  readonly context: string | undefined;
  /** The user, as the API server knows them. */
  readonly user: string | undefined;
  /** Only if no target was given. */
  readonly nodes: NodeCensus | undefined;
  readonly rights: readonly RightCheck[];
  readonly endpoints: readonly EndpointCheck[];
  readonly process: ProcessFacts | undefined;
  readonly prometheus: PrometheusCheck | undefined;
  readonly canProve: readonly string[];
  readonly cannotProve: readonly Unproved[];
  readonly dangers: readonly Danger[];
}

export interface NodeCensus {
  readonly total: number;
  readonly notReady: readonly string[];
  /** Kubelet version -> number of nodes, most frequent first. */
  readonly versions: readonly { readonly version: string; readonly nodes: number }[];
  /** The node that was examined on behalf of all. */
  readonly sample: string | undefined;
  /** Why the nodes could not be listed. */
  readonly problem: Explanation | undefined;
}

export interface RightCheck {
  /** `get nodes/proxy` */
  readonly right: string;
  /** Undefined if the API server did not say. */
  readonly allowed: boolean | undefined;
  readonly opens: string;
}

export interface EndpointCheck {
  readonly path: string;
  readonly answers: 'yes' | 'no' | 'not-asked';
  readonly status: number;
  readonly tookSeconds: number;
  /** Why it does not answer. */
  readonly problem: Explanation | undefined;
}

export interface ProcessFacts {
  readonly version: string;
  readonly goVersion: string;
  readonly upSeconds: number | undefined;
  readonly goroutines: number | undefined;
  readonly residentBytes: number | undefined;
  readonly cgroupVersion: number | undefined;
  readonly seriesCount: number;
  readonly featuresOn: readonly string[];
  /** Metrics that an analysis uses and this scrape lacks. */
  readonly missingSeries: readonly string[];
}

export interface PrometheusCheck {
  readonly address: string;
  readonly problem: Explanation | undefined;
  readonly series: readonly { readonly name: string; readonly present: boolean }[];
  readonly jobs: readonly string[];
  /** Whether it scrapes the target; undefined if that was not checked. */
  readonly knowsTarget: boolean | undefined;
}

export interface Unproved {
  readonly what: string;
  readonly because: string;
}

export interface Danger {
  readonly what: string;
  readonly advice: string;
}
