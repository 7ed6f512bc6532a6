/** What a series is to the detector: under which name its values count, and whether with those of other labels. */
import { canonicalName } from '../../formats/exposition/select.ts';
import type { ExpositionSeries } from '../../formats/exposition/exposition.ts';

export interface MetricRule {
  readonly metric: string;
  /** Counted together with the other series of the metric; the rest is one per process. */
  readonly isSum: boolean;
}

const OF_PROCESS = /^(?:go_|process_)/;
/** The cgroup of the kubelet itself; those of pods say nothing of the process. */
const KUBELET_CGROUP = /(?:^|\/)kubelet(?:\.service|\.slice)?$/;

/** Undefined when the series is of something else. */
export function ruleFor({ name, labels }: ExpositionSeries): MetricRule | undefined {
  const metric = canonicalName(name);
  if (metric === 'kubelet_node_name') return undefined;
  if (metric === 'kubelet_running_containers' && (labels['container_state'] ?? 'running') !== 'running')
    return undefined;
  if (metric === 'scrape_samples_scraped' && (labels['metrics_path'] ?? '/metrics') !== '/metrics') return undefined;
  if (metric.startsWith('container_') && !KUBELET_CGROUP.test(labels['id'] ?? 'kubelet')) return undefined;
  return { metric, isSum: !OF_PROCESS.test(metric) && metric !== 'scrape_samples_scraped' };
}

export function isOfProcess(metric: string): boolean {
  return OF_PROCESS.test(metric);
}
