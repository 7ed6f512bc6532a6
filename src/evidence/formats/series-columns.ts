/** Answers as columns, series by series: the same columns as metrics text, so that both are used alike. */
import { Float64ColumnBuilder, Uint32ColumnBuilder } from '../../base/columns.ts';
import type { ExpositionSamples, ExpositionSeries } from './exposition.ts';
import { NO_SAMPLE_TIME, isSampleTime } from '../../base/say.ts';

export interface RangeQuery {
  /** The name is '' where the query was an expression. */
  readonly series: readonly ExpositionSeries[];
  /** Times rise within each series. */
  readonly samples: ExpositionSamples;
  /** What was left out or is odd, a sentence each. */
  readonly notes: readonly string[];
}

export class SeriesColumns {
  private readonly series: ExpositionSeries[] = [];
  private readonly ids = new Uint32ColumnBuilder();
  private readonly values = new Float64ColumnBuilder();
  private readonly times = new Float64ColumnBuilder();
  private readonly notes = new Set<string>();
  private readonly select: (name: string) => boolean;
  private labels: Readonly<Record<string, string>> = {};
  private first = 0;

  constructor(select: (name: string) => boolean) {
    this.select = select;
  }

  get seriesCount(): number {
    return this.series.length;
  }

  begin(): void {
    this.labels = {};
    this.first = this.values.length;
  }

  setLabels(labels: Readonly<Record<string, string>>): void {
    this.labels = labels;
  }

  push(time: number, value: number): void {
    if (!isSampleTime(time)) return void this.notes.add(NO_SAMPLE_TIME);
    // Each answer repeats its series in time order: a sample that is not later is a repetition.
    if (this.values.length > this.first && time <= this.times.items[this.times.length - 1]) return;
    this.ids.push(this.series.length);
    this.times.push(time);
    this.values.push(value);
  }

  end(): void {
    const { __name__: name = '', ...rest } = this.labels;
    if (name === '' || this.select(name)) {
      this.series.push({ name, labels: Object.assign(Object.create(null) as Record<string, string>, rest) });
    } else {
      this.values.length = this.times.length = this.ids.length = this.first;
    }
  }

  note(sentence: string): void {
    this.notes.add(sentence);
  }

  finish(): RangeQuery {
    // A series that was cut has samples but no place.
    const length = Math.min(this.values.length, this.ids.finish().findIndex(id => id >= this.series.length) >>> 0);
    return {
      series: this.series,
      samples: {
        series: this.ids.finish().subarray(0, length),
        values: this.values.items.subarray(0, length),
        times: this.times.items.subarray(0, length),
      },
      notes: [...this.notes],
    };
  }
}
