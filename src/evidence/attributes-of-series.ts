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
import { listOf, parseJsonBytes, recordOf, textOf } from '../base/json.ts';

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
const GROUP_LABELS: readonly string[] = ['job', 'cluster', 'shard', 'region', 'zone', 'pool'];

export function attributesOfLabels(labels: Readonly<Record<string, string>>): AttributePair[] {
  return GROUP_LABELS.flatMap((label): AttributePair[] => {
    const value = labels[label] ?? '';
    return value === '' || value.length > MAX_VALUE ? [] : [[label, value]];
  });
}

/** Queries to a Prometheus for what targets are. */
interface AttributeQuery {
  /** The metric that the answer is of: aggregation drops its name. */
  readonly metric: string;
  readonly query: string;
}

const INFO: Readonly<Record<string, readonly string[]>> = {
  kubernetes_build_info: ['git_version', 'go_version', 'platform'],
  go_info: ['version'],
};
const GATES = 'kubernetes_feature_enabled';
/** Gates that differ within a fleet are few; a query must stay short. */
const MAX_GATES = 60;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * `by`: the labels that tell targets apart. `span`: how far to look back, such as `1h`, where the five minutes that
 * Prometheus looks back would miss what is scraped rarely; '' to look back as it does.
 */
export function attributeQueries(
  selector: string,
  by: readonly string[],
  gates: readonly string[],
  span = '',
): AttributeQuery[] {
  const seen = (series: string): string => (span === '' ? series : `last_over_time(${series}[${span}])`);
  const group = (labels: readonly string[]): string => `max by (${[...new Set([...by, ...labels])].join(', ')})`;
  const queries = Object.entries(INFO).map(([metric, labels]) => ({
    metric,
    query: `${group([...GROUP_LABELS, ...labels])} (${seen(`${metric}{${selector}}`)})`,
  }));
  if (gates.length === 0) return queries;
  const names = `name=~"${gates.slice(0, MAX_GATES).join('|')}"`;
  const matchers = selector === '' ? names : `${selector}, ${names}`;
  return [...queries, { metric: GATES, query: `${group(['name'])} (${seen(`${GATES}{${matchers}}`)})` }];
}

export function differingGatesQuery(selector: string): string {
  // Look back an hour: a scrape may be late.
  const gates = `last_over_time(${GATES}{${selector}}[1h])`;
  return `max by (name) (${gates}) != min by (name) (${gates})`;
}

/** Names of gates in the answer; none if it is no answer. */
export function gateNamesIn(body: Uint8Array): string[] {
  const data = recordOf(recordOf(parseJsonBytes(body, MAX_BYTES))['data']);
  return listOf(data['result'])
    .map(one => textOf(recordOf(recordOf(one)['metric'])['name']))
    .filter(name => /^[A-Za-z][A-Za-z0-9]*$/.test(name));
}
