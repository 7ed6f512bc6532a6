/** The history of a target for the rules: hourly means, as recording rules would keep them, and the latest scrapes. */
import type { Values } from '../simulate/simulated-node.ts';

/** `live`: the live heap, or the least heap in use of the hour if that is not exposed. */
export type SeriesName = 'goroutines' | 'resident' | 'live';

const LATEST_SCRAPES = 4;

export interface Scrape {
  readonly atSeconds: number;
  readonly goroutines: number;
  readonly heapInUse: number;
}

export class TargetHistory {
  /** Means by hour of the record; a hole where nothing was scraped. */
  readonly series: Readonly<Record<SeriesName, number[]>> = { goroutines: [], resident: [], live: [] };
  readonly latest: Scrape[] = [];
  limitBytes: number | undefined;
  /** The hour in which the present process was first seen. */
  epochHour = 0;
  #counts: number[] = [];
  #startedSeconds: number | undefined;
  readonly #firstSeconds: number;

  constructor(firstSeconds: number) {
    this.#firstSeconds = firstSeconds;
  }

  add(atSeconds: number, values: Readonly<Values>): void {
    const hour = Math.floor((atSeconds - this.#firstSeconds) / 3600);
    const count = (this.#counts[hour] = (this.#counts[hour] ?? 0) + 1);
    const { goroutines, resident, live } = this.series;
    const heapInUse = values.go_memstats_heap_inuse_bytes ?? NaN;
    mean(goroutines, hour, values.go_goroutines ?? NaN, count);
    mean(resident, hour, values.process_resident_memory_bytes ?? NaN, count);
    const liveBytes = values.go_gc_heap_live_bytes;
    if (liveBytes === undefined) live[hour] = Math.min(live[hour] ?? Infinity, heapInUse);
    else mean(live, hour, liveBytes, count);

    this.latest.push({ atSeconds, goroutines: values.go_goroutines ?? NaN, heapInUse });
    if (this.latest.length > LATEST_SCRAPES) this.latest.shift();
    this.limitBytes = values.container_spec_memory_limit_bytes;
    const started = values.process_start_time_seconds;
    // A clock correction moves the start time by less than a process takes to restart.
    if (started !== undefined && Math.abs(started - (this.#startedSeconds ?? started)) > 60) this.epochHour = hour;
    this.#startedSeconds = started;
  }
}

function mean(series: number[], hour: number, value: number, count: number): void {
  const before = series[hour] ?? 0;
  series[hour] = before + (value - before) / count;
}
