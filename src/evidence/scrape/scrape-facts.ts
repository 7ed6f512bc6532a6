/** What one scrape says of the process, besides its values over time. */
import { readExposition } from '../../formats/exposition/read.ts';
import { isUsedFor, canonicalName } from '../../model/metric-names.ts';

export interface MetricsFacts {
  /** `v1.36.0`; '' when not told, as for all below. */
  readonly version: string;
  readonly goVersion: string;
  readonly goroutines: number | undefined;
  readonly residentBytes: number | undefined;
  readonly startTimeSeconds: number | undefined;
  /** 1 or 2; a kubelet that does not know says 0. */
  readonly cgroupVersion: number | undefined;
  /** Names of the feature gates that are on. */
  readonly featuresOn: readonly string[];
  /** Of all series, chosen or not. */
  readonly seriesCount: number;
  /** The names that doctor misses when they are not there, and what else was read. */
  readonly names: ReadonlySet<string>;
}

export function factsOfMetrics(bytes: Uint8Array): MetricsFacts {
  const { series, samples, scrapes } = readExposition(bytes, {
    select: name => isUsedFor(name, 'triage', 'doctor', 'attributes'),
  });
  const values = new Map<string, number>();
  const featuresOn: string[] = [];
  let [version, goVersion] = ['', ''];
  for (let i = 0; i < samples.series.length; i++) {
    const { labels } = series[samples.series[i]];
    const name = canonicalName(series[samples.series[i]].name);
    values.set(name, samples.values[i]);
    if (name === 'kubernetes_build_info') {
      version = labels['git_version'] ?? '';
      goVersion = labels['go_version'] ?? '';
    } else if (name === 'go_info' && goVersion === '') goVersion = labels['version'] ?? '';
    else if (name === 'etcd_server_version' && version === '') version = labels['server_version'] ?? '';
    else if (name === 'kubernetes_feature_enabled' && samples.values[i] === 1) featuresOn.push(labels['name'] ?? '');
  }
  return {
    version,
    goVersion,
    goroutines: values.get('go_goroutines'),
    residentBytes: values.get('process_resident_memory_bytes'),
    startTimeSeconds: values.get('process_start_time_seconds'),
    cgroupVersion: values.get('kubelet_cgroup_version') || undefined,
    featuresOn,
    seriesCount: scrapes.at(-1)?.seriesCount ?? 0,
    names: new Set(values.keys()),
  };
}
