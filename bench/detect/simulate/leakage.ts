/** What has leaked: in truth, and as held by the running process. */
import type { Dice } from './dice.ts';
import type { Leak, NodePlan } from './plan.ts';
import type { Workload } from './workload.ts';

/** How far back the truth looks for the rate of a leak that a count drives. */
const RATE_WINDOW_HOURS = 168;

export class Leakage {
  /** Held by this process, in whole units, since goroutines do not leak in halves. */
  held = 0;
  readonly #unitsPerTick: number;
  #exact: number;
  #sinceStair = 0;
  /** Everything that leaked so far, by the hour; restarts do not take it back. */
  readonly #total: number[] = [];
  #leaked = 0;

  readonly #leak: Leak;
  readonly #dice: Dice;

  constructor(plan: NodePlan, leak: Leak, dice: Dice) {
    this.#leak = leak;
    this.#dice = dice;
    this.#unitsPerTick = leak.unitsPerHour / ticksPerHour(plan, leak);
    this.#exact = Math.max(0, -leak.onsetHours) * leak.unitsPerHour;
    this.held = Math.floor(this.#exact);
  }

  restart(): void {
    this.#exact = 0;
    this.#sinceStair = 0;
    this.held = 0;
  }

  #isActive(atHours: number): boolean {
    return atHours >= this.#leak.onsetHours && atHours < this.#leak.stopHours;
  }

  advance(atHours: number, hours: number, workload: Workload): void {
    if (this.#isActive(atHours)) {
      const grown = this.#unitsPerTick * this.#ticks(hours, workload);
      this.#leaked += grown;
      this.#sinceStair += grown;
      const { stairHours, unitsPerHour } = this.#leak;
      // A batch is released about every stairHours; without stairs, at once.
      if (stairHours === undefined || this.#sinceStair >= stairHours * unitsPerHour) {
        this.#exact += this.#sinceStair;
        this.#sinceStair = 0;
        this.held = Math.floor(this.#exact);
      }
    }
    this.#total[Math.max(0, Math.floor(atHours))] = this.#leaked;
  }

  /** Its true leak rate per hour, now. */
  ratePerHour(atHours: number): number {
    if (!this.#isActive(atHours)) return 0;
    const since = Math.max(0, this.#leak.onsetHours, atHours - RATE_WINDOW_HOURS);
    if (this.#leak.clock === 'hour' || atHours - since < 24) return this.#leak.unitsPerHour;
    return (this.#leaked - (this.#total[Math.floor(since)] ?? 0)) / (atHours - since);
  }

  #ticks(hours: number, workload: Workload): number {
    switch (this.#leak.clock) {
      case 'hour':
        return hours * this.#dice.around(0.05);
      case 'pod start':
        return workload.starts;
      case 'probe':
        return workload.probes;
      case 'API reconnect':
        return workload.reconnects;
    }
  }
}

function ticksPerHour({ traits, pods, startsPerPodHour }: NodePlan, { clock }: Leak): number {
  switch (clock) {
    case 'hour':
      return 1;
    case 'pod start':
      return pods * startsPerPodHour;
    case 'probe':
      return pods * traits.probesPerPodHour;
    case 'API reconnect':
      return traits.reconnectsPerHour;
  }
}
