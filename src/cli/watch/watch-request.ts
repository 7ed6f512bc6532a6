/** The request for a watch, and a watch that was prepared to run. */
import type { Watch } from '../../watch/watch-service.ts';
import type { Notifier } from '../../watch/notify/start-notifier.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { ListenAddress } from '../../watch/server/listen-address.ts';
import type { ProfilerRequest } from '../connect/past-profiles.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { AlertmanagerConfig } from './notify-config.ts';
import type { LeastGrowth } from '../options/shared.ts';
import type { WatchPlans } from '../../act/watch/watch-plan.ts';
import type { WatchActions } from '../options/acting.ts';

/** Several watches over one store. */
export type ReplicaMode = 'auto' | 'postgres' | 'lease';

export interface WatchRequest {
  readonly options: TargetOptions;
  readonly targets: readonly TargetRef[];
  /** Folders, kubeconfigs, contexts and patterns; empty for the kubeconfig's context. */
  readonly clusters: readonly string[];
  readonly listen: ListenAddress;
  /** '' for none, also for all files and addresses below. */
  readonly listenTokenFile: string;
  readonly data: string;
  /** `s3://bucket/prefix?endpoint=...`; '' for the data folder. */
  readonly evidence: string;
  readonly store: string;
  readonly storeFile: string;
  /** Undefined if it shares its targets with nobody. */
  readonly replica: ReplicaMode | undefined;
  readonly replicaId: string | undefined;
  readonly replicaNamespace: string | undefined;
  readonly retentionSeconds: number | undefined;
  readonly setDamagedAside: boolean;
  readonly intervalSeconds: number | undefined;
  readonly config: string;
  readonly attributes: string;
  readonly nodes: boolean;
  readonly capture: boolean;
  /** Collect garbage before heap profiles. */
  readonly gc: boolean;
  readonly prometheus: string;
  readonly prometheusTokenFile: string;
  readonly prometheusHeader: Readonly<Record<string, string>>;
  readonly selector: string;
  /** Profiles of the past of what is suspected. */
  readonly profiler: ProfilerRequest | undefined;
  readonly alertmanagers: readonly AlertmanagerConfig[];
  readonly actions: WatchActions;
  /** Whether nodes that leak get a condition. */
  readonly nodeCondition: boolean;
  readonly detector: {
    readonly memoryLimitBytes: number | undefined;
    readonly leastGrowth: LeastGrowth;
    readonly timeScale: number;
  };
  readonly demo: boolean;
  readonly pace: number | undefined;
}

export interface StartedWatch {
  readonly watch: Watch;
  /** Undefined if incidents are made known nowhere. */
  readonly notifier?: Notifier | undefined;
  /** Undefined if nothing can be planned. */
  readonly plans?: WatchPlans | undefined;
  /** Joins the other replicas; resolves to a line for the introduction. */
  readonly join?: () => Promise<string>;
  /** Leaves the other replicas, after everything else has ended. */
  readonly leave?: () => Promise<void>;
  /** Delivers samples until the signal aborts. */
  readonly feed: Promise<void>;
  /** Lines for the terminal, before the address. */
  readonly introduction: readonly string[];
  /** Lines for the terminal, when the feed has ended by itself. */
  readonly closingLines?: (url: string) => readonly string[];
}
