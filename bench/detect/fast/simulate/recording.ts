/** The scrapes of one process: a column per metric. */
import { RECORD_START_SECONDS, type Observe, type Values } from '../../simulate/simulated-node.ts';
import type { Column } from './columns.ts';

export interface Recording {
  readonly target: string;
  /** Minutes of the fleet's record at which this one begins. */
  readonly fleetMinute: number;
  readonly minutes: number;
  readonly metrics: ReadonlyMap<string, Column>;
  /** Seconds after the full minute at which each scrape came; NaN if it was lost. */
  readonly delaySeconds: Column;
}

export function secondsOf(fleetMinute: number): number {
  return RECORD_START_SECONDS + fleetMinute * 60;
}

/** Plays a recording from where it stopped; callers must copy values that they keep. */
export class Player {
  readonly #recording: Recording;
  readonly #names: readonly string[];
  readonly #columns: readonly Column[];
  readonly #values: Values = {};
  readonly #everyMinutes: number;
  #minute = 0;

  constructor(recording: Recording, everyMinutes = 1) {
    this.#recording = recording;
    this.#everyMinutes = everyMinutes;
    this.#names = [...recording.metrics.keys()];
    this.#columns = [...recording.metrics.values()];
  }

  playTo(fleetMinute: number, observe: Observe): void {
    const { target, fleetMinute: begin, minutes, delaySeconds } = this.#recording;
    const end = Math.min(minutes, fleetMinute - begin);
    for (; this.#minute < end; this.#minute += this.#everyMinutes) {
      const minute = this.#minute;
      const delay = delaySeconds[minute];
      if (Number.isNaN(delay)) continue;
      for (let i = 0; i < this.#names.length; i++) this.#values[this.#names[i]] = this.#columns[i][minute];
      observe(target, secondsOf(begin + minute) + delay, this.#values);
    }
  }
}
