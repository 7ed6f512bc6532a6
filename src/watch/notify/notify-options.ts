import { CLUSTER_ATTRIBUTE, type CohortName } from '../../judge/cohorts/cohort-model.ts';
import { clusterOf } from '../../evidence/target.ts';

export interface NotifyOptions {
  /** Of targets whose name has none. */
  readonly cluster: string;
  /** From which verdict on an incident is made known. */
  readonly leastVerdict: 'watch' | 'leak';
  /** If the limit may be reached within this time, an alert is critical. */
  readonly criticalHours: number;
  /** Under which people reach Oakum, without a slash at the end. */
  readonly url: string | undefined;
  /** Templates, see templates.ts. */
  readonly summary: string;
  readonly runbook: string | undefined;
  /** Added to every alert. */
  readonly labels: Readonly<Record<string, string>>;
}

export const NOTIFY_DEFAULTS: Omit<NotifyOptions, 'cluster'> = {
  leastVerdict: 'leak',
  criticalHours: 24,
  url: undefined,
  summary: '{target}: {sentence}',
  runbook: undefined,
  labels: {},
};

/**
 * The cluster of an incident: that of its target, where there are several. That of a cohort never changes while it
 * spreads, or it would be another alert.
 */
export function clusterOfIncident(
  { target, cohort }: { readonly target: string; readonly cohort: CohortName | null },
  { cluster }: Pick<NotifyOptions, 'cluster'>,
): string {
  if (cohort !== null) return cohort.attribute === CLUSTER_ATTRIBUTE ? cohort.value : cluster;
  return clusterOf(target) ?? cluster;
}
