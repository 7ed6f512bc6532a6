/**
 * Of which metrics and labels the series are that a process exposes ever more of.
 *
 *     metric                    series          label   values
 *     http_requests_total       12 -> 890       path    12 -> 890       takes ever new values: it leads
 *                                               code     3 -> 3
 *     wait_seconds              82 -> 82
 */
import { formatCount } from '../../base/say.ts';
import { FAMILY_SERIES, LABEL_VALUES } from '../../evidence/metric-names.ts';
import { valueAt } from '../../evidence/snapshots/process-series.ts';
import type { MetricSeries } from '../../evidence/snapshots/snapshot.ts';

export interface GrownMetric {
  /** The metric and, if the scrapes show it, the label that takes ever new values: `http_requests_total by path` */
  readonly title: string;
  /** `http_requests_total 12 -> 890 series: its label path has 890 values, 12 before` */
  readonly sentence: string;
}

/** Less than this share of the growth is not what grows. */
const MIN_SHARE = 0.1;
const MAX_METRICS = 3;

/** The most grown first; empty if the scrapes were not kept whole. */
export function grownMetrics(all: ReadonlyMap<string, MetricSeries>, from: number, to: number): GrownMetric[] {
  const counted = [...all.values()];
  const rises = counted
    .filter(({ name }) => name === FAMILY_SERIES)
    .flatMap(one => riseOf(one, from, to))
    .sort(mostGainedFirst);
  const total = rises.reduce((sum, { before, now }) => sum + now - before, 0);
  return rises
    .filter(({ before, now }) => now - before >= MIN_SHARE * total)
    .slice(0, MAX_METRICS)
    .map(({ labels, before, now }) => {
      const { metric = '' } = labels;
      const [label] = counted
        .filter(one => one.name === LABEL_VALUES && one.labels['metric'] === metric)
        .flatMap(one => riseOf(one, from, to))
        .sort(mostGainedFirst);
      const grew = `${metric} ${formatCount(before)} -> ${formatCount(now)} series`;
      if (label === undefined) return { title: metric, sentence: grew };
      const values = `${formatCount(label.now)} values, ${formatCount(label.before)} before`;
      const name = label.labels['label'] ?? '';
      return { title: `${metric} by ${name}`, sentence: `${grew}: its label ${name} has ${values}` };
    });
}

interface Rise {
  readonly labels: MetricSeries['labels'];
  readonly before: number;
  readonly now: number;
}

function mostGainedFirst(a: Rise, b: Rise): number {
  return b.now - b.before - (a.now - a.before);
}

function riseOf(one: MetricSeries, from: number, to: number): Rise[] {
  const [before, now] = [valueAt(one, from), valueAt(one, to)];
  return before === undefined || now === undefined || now <= before ? [] : [{ labels: one.labels, before, now }];
}
