/** The samples of one target in memory: as they came, in the order of their times. */
import type { ReplayPart, Sample, SampleQuery, SampleSeries } from '../../store/stored-samples.ts';

export class MemorySamples {
  readonly #samples: Sample[] = [];
  #latest: Sample | undefined;

  get first(): Sample | undefined {
    return this.#samples[0];
  }

  get last(): Sample | undefined {
    return this.#samples.at(-1);
  }

  /** The last that was added. */
  get latest(): Sample | undefined {
    return this.#latest;
  }

  /** Replaces a sample of the same time. */
  add(sample: Sample): void {
    this.#latest = sample;
    const before = this.#samples.findLastIndex(({ at }) => at <= sample.at);
    const replaces = this.#samples[before]?.at === sample.at;
    this.#samples.splice(replaces ? before : before + 1, replaces ? 1 : 0, sample);
  }

  query({ metrics, from, to, maxPoints }: SampleQuery): SampleSeries[] {
    const within = this.#samples.filter(({ at }) => at >= from && at <= to);
    return metrics.flatMap(metric => {
      const points = within.flatMap(({ at, values }) => {
        const value = values[metric];
        return value === undefined ? [] : [{ at, value }];
      });
      return points.length === 0 ? [] : [{ metric, ...thinned(points, from, to, maxPoints) }];
    });
  }

  /** The points from `from` to before `to`; undefined if there are none. */
  replay(target: string, from: number, to: number, metrics: readonly string[] | undefined): ReplayPart | undefined {
    const within = this.#samples.filter(({ at }) => at >= from && at < to);
    const there = new Set(within.flatMap(({ values }) => Object.keys(values)));
    const names = [...there].filter(name => metrics?.includes(name) ?? true);
    if (names.length === 0) return undefined;
    return {
      target,
      times: Float64Array.from(within, ({ at }) => at),
      columns: names.map(metric => {
        const values = Float64Array.from(within, one => one.values[metric] ?? NaN);
        return { metric, values, lows: values };
      }),
    };
  }
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/** Of too many points, one for each of `maxPoints` equal parts of the time: the median, at the time of the last. */
function thinned(points: readonly Point[], from: number, to: number, maxPoints: number): Omit<SampleSeries, 'metric'> {
  if (points.length <= maxPoints) {
    const values = Float64Array.from(points, ({ value }) => value);
    return { times: Float64Array.from(points, ({ at }) => at), values, lows: values, highs: values };
  }
  const parts = new Map<number, Point[]>();
  for (const point of points) {
    const part = Math.min(maxPoints - 1, Math.floor(((point.at - from) / (to - from)) * maxPoints));
    const known = parts.get(part);
    if (known === undefined) parts.set(part, [point]);
    else known.push(point);
  }
  const columns = [...parts.values()].map(part => {
    const sorted = part.map(({ value }) => value).sort((a, b) => a - b);
    return {
      at: part.at(-1)?.at ?? NaN,
      value: sorted[(sorted.length - 1) >> 1] ?? NaN,
      low: sorted[0] ?? NaN,
      high: sorted.at(-1) ?? NaN,
    };
  });
  return {
    times: Float64Array.from(columns, ({ at }) => at),
    values: Float64Array.from(columns, ({ value }) => value),
    lows: Float64Array.from(columns, ({ low }) => low),
    highs: Float64Array.from(columns, ({ high }) => high),
  };
}
