/** What `oakum doctor` found: what can be observed, what can therefore be proved, and what is dangerous. */
import type { Explanation } from './explanation.ts';

export interface DoctorReport {
  readonly schema: 'oakum.doctor/v1';
  /** `node/worker-17`. */
  readonly target: string;
  /** Who answers first, and where. */
  readonly via: string;
  readonly address: string;
  /** The kubeconfig's; undefined for a target of no cluster. */
  readonly context: string | undefined;
  /** Who asks, as the API server knows them. */
  readonly user: string | undefined;
  /** Where no target was given. */
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
  /** Kubelet version -> number of nodes, the most frequent first. */
  readonly versions: readonly { readonly version: string; readonly nodes: number }[];
  /** The node that was examined in place of all. */
  readonly sample: string | undefined;
  /** Why they could not be listed. */
  readonly problem: Explanation | undefined;
}

export interface RightCheck {
  /** `get nodes/proxy` */
  readonly right: string;
  /** undefined when the API server did not say. */
  readonly allowed: boolean | undefined;
  readonly opens: string;
}

export interface EndpointCheck {
  readonly path: string;
  readonly answers: 'yes' | 'no' | 'not-asked';
  readonly status: number;
  readonly tookSeconds: number;
  /** Why not. */
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
  /** Names an analysis wants and this scrape does not have. */
  readonly missingSeries: readonly string[];
}

export interface PrometheusCheck {
  readonly address: string;
  readonly problem: Explanation | undefined;
  readonly series: readonly { readonly name: string; readonly present: boolean }[];
  readonly jobs: readonly string[];
  /** Whether the target is among what it scrapes; undefined where that was not asked. */
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
