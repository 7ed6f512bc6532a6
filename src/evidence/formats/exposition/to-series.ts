/** Time series of what was read, under canonical names. */
import type { MetricSeries } from '../../snapshots/snapshot.ts';
import { type Exposition, seriesKey } from './exposition.ts';
import { canonicalName } from '../../metric-names.ts';

/** Name with labels -> samples in time order; samples without a time keep the order of the input. */
export function toSeries(read: Exposition): Map<string, MetricSeries> {
  const { samples } = read;
  const names = new Set(read.series.map(series => series.name));
  const bySeries = new Map<string, { name: string; labels: Readonly<Record<string, string>>; at: number[] }>();
  const targets = read.series.map(({ name, labels }) => {
    const canonical = canonicalName(name);
    // A recording rule beside the metric it was made from repeats it.
    if (canonical !== name && names.has(canonical)) return undefined;
    const key = seriesKey(canonical, labels);
    let target = bySeries.get(key);
    if (target === undefined) bySeries.set(key, (target = { name: canonical, labels, at: [] }));
    return target;
  });
  const isRepeated = repeatedSamples(read);
  for (let i = 0; i < samples.series.length; i++) if (!isRepeated(i)) targets[samples.series[i]]?.at.push(i);
  const out = new Map<string, MetricSeries>();
  for (const [key, { name, labels, at }] of bySeries) {
    if (!at.some(i => Number.isNaN(samples.times[i]))) at.sort((a, b) => samples.times[a] - samples.times[b]);
    const times = Float64Array.from(at, i => samples.times[i]);
    out.set(key, { name, labels, times, values: Float64Array.from(at, i => samples.values[i]) });
  }
  return out;
}

/** Asked for each sample in turn: whether its scrape had the series at that time before. No target means two values. */
function repeatedSamples({ series, samples, scrapes }: Exposition): (sample: number) => boolean {
  const seen = new Float64Array(series.length).fill(-1);
  let scrape = 0;
  return sample => {
    while (scrape + 1 < scrapes.length && sample >= (scrapes[scrape + 1]?.firstSample ?? Infinity)) scrape++;
    const own = samples.series[sample];
    const before = seen[own];
    if (before >= (scrapes[scrape]?.firstSample ?? 0) && Object.is(samples.times[before], samples.times[sample]))
      return true;
    seen[own] = sample;
    return false;
  };
}

/** Metrics that were read under another name, a sentence each. */
export function aliasNotes(read: Pick<Exposition, 'series'>): string[] {
  const names = new Set(read.series.map(series => series.name));
  const aliased = [...names].filter(name => canonicalName(name) !== name && !names.has(canonicalName(name)));
  return aliased.map(name => `${name} is read as ${canonicalName(name)}`);
}
