/**
 * Which metrics the series of a scrape are of, and how many values their labels have: a program that exposes ever more
 * series does so because a label takes ever new values.
 *
 *     http_requests_total{path="/a",code="200"} 3      oakum_family_series{metric="http_requests_total"}             2
 *     http_requests_total{path="/b",code="200"} 1      oakum_label_values{metric="http_requests_total",label="path"} 2
 */
import { decodeText } from '../../base/text.ts';
import { type Exposition, parseLabels } from '../formats/exposition.ts';
import { FAMILY_SERIES, LABEL_VALUES } from '../metric-names.ts';
import type { MetricSeries } from './snapshot.ts';

/** Labels are counted only of the largest metrics, and of what has some series. */
const MAX_METRICS = 5;
const MIN_SERIES = 50;

/** The name of a metric, and its labels as they are written. */
const LINE = /^([a-zA-Z_:][\w:]*)\{(.*)\} [^}]*$/;
const PART = /_(?:bucket|sum|count|gsum|gcount|created)$/;

/** Buckets and quantiles are of one thing. */
const OF_PARTS: ReadonlySet<string> = new Set(['le', 'quantile']);

/** Of one scrape. */
export function seriesCensus(bytes: Uint8Array, { scrapes, biggestFamilies }: Exposition): MetricSeries[] {
  const [scrape] = scrapes;
  if (scrape === undefined || scrapes.length > 1) return [];
  const count = (name: string, labels: MetricSeries['labels'], value: number): MetricSeries => ({
    name,
    labels,
    times: Float64Array.of(scrape.atSeconds ?? NaN),
    values: Float64Array.of(value),
  });
  const large = biggestFamilies.filter(({ seriesCount }) => seriesCount >= MIN_SERIES).slice(0, MAX_METRICS);
  const values = labelValues(bytes, new Set(large.map(({ name }) => name)));
  return [
    ...biggestFamilies.map(({ name, seriesCount }) => count(FAMILY_SERIES, { metric: name }, seriesCount)),
    ...[...values].flatMap(([metric, labels]) =>
      [...labels].map(([label, seen]) => count(LABEL_VALUES, { metric, label }, seen.size)),
    ),
  ];
}

/** Metric -> label -> its values. */
function labelValues(bytes: Uint8Array, metrics: ReadonlySet<string>): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  if (metrics.size === 0) return found;
  for (const line of decodeText(bytes).split('\n')) {
    const [, name = '', written = ''] = LINE.exec(line) ?? [];
    const metric = metrics.has(name) ? name : name.replace(PART, '');
    if (!metrics.has(metric)) continue;
    let labels = found.get(metric);
    if (labels === undefined) found.set(metric, (labels = new Map()));
    for (const [label, value] of Object.entries(parseLabels(written)?.labels ?? {})) {
      if (OF_PARTS.has(label)) continue;
      const seen = labels.get(label);
      if (seen === undefined) labels.set(label, new Set([value]));
      else seen.add(value);
    }
  }
  return found;
}
