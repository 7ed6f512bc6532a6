/** Queries to a Prometheus for what targets are. */
import { listOf, parseJsonBytes, recordOf, textOf } from '../base/json.ts';
import { GROUP_LABELS } from './attributes-of-series.ts';

export interface AttributeQuery {
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
 * `by`: the labels that tell targets apart. `span`: asked for once in so long a time, such as `1h`, where the five
 * minutes that Prometheus looks back would miss what is scraped rarely; '' to look back as it does.
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
