/**
 * What a series says about the process it belongs to.
 *
 *     kubernetes_build_info{git_version="v1.36.0",go_version="go1.25.3",platform="linux/amd64"} 1     version, go, platform
 *     kubernetes_feature_enabled{name="KubeletTracing",stage="BETA"} 1                                 gate/KubeletTracing on
 *     go_info{version="go1.25.3"} 1                                                                    go
 *     etcd_server_version{server_version="3.6.4"} 1                                                    version
 *     prometheus_build_info{version="3.1.0",goversion="go1.24.1"} 1                                    version, go
 */
import { isUsedFor } from './metric-names.ts';

export type AttributePair = readonly [attribute: string, value: string];

const BUILD_INFO = /^[a-z][a-z0-9_]*_build_info$/;
/** Longer values are no versions. */
const MAX_VALUE = 100;
export const GATE_PREFIX = 'gate/';

/** Whether the labels of the metric describe the process. */
export function describesProcess(metric: string): boolean {
  return isUsedFor(metric, 'attributes') || BUILD_INFO.test(metric);
}

export function attributesOfSeries(
  metric: string,
  labels: Readonly<Record<string, string | undefined>>,
  value: number,
): AttributePair[] {
  const pairs: AttributePair[] = [];
  const add = (attribute: string, text: string | undefined): void => {
    if (text !== undefined && text !== '' && text.length <= MAX_VALUE) pairs.push([attribute, text]);
  };
  switch (metric) {
    case 'kubernetes_feature_enabled':
      if (labels['name'] !== undefined)
        add(`${GATE_PREFIX}${labels['name'].slice(0, MAX_VALUE)}`, value === 0 ? 'off' : 'on');
      break;
    case 'go_info':
      add('go', labels['version']);
      break;
    case 'etcd_server_version':
      add('version', labels['server_version']);
      break;
    default:
      // An info metric is 1 while it holds; Prometheus may return 0 for one that is gone.
      if (value !== 0) {
        add('version', labels['git_version'] ?? labels['version']);
        add('go', labels['go_version'] ?? labels['goversion']);
        add('platform', labels['platform']);
      }
  }
  return pairs;
}

/** Labels of the scrape itself that group targets; the others name one target or belong to the metric. */
export const GROUP_LABELS: readonly string[] = ['job', 'cluster', 'shard', 'region', 'zone', 'pool'];

export function attributesOfLabels(labels: Readonly<Record<string, string>>): AttributePair[] {
  return GROUP_LABELS.flatMap((label): AttributePair[] => {
    const value = labels[label] ?? '';
    return value === '' || value.length > MAX_VALUE ? [] : [[label, value]];
  });
}
