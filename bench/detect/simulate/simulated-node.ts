/** One kubelet over the hours: runs its plan and exposes what a scrape would see. */
import { diceFrom, type Dice } from './dice.ts';
import { Counters } from './counters.ts';
import { GoRuntime, settledResidentBytes, type GoMemory } from './go-memory.ts';
import { Leakage } from './leakage.ts';
import { settledLevels, type Burst, type NodePlan } from './plan.ts';
import { sumOf, type Shape } from './shapes.ts';
import { wanderOf, type Wander } from './wander.ts';
import { Workload } from './workload.ts';

/** Unix seconds of the first hour of every record. */
export const RECORD_START_SECONDS = 1_790_000_000;
const CACHE_FILL_HOURS = 2;
const CACHE_SHARE = 0.06;

export type Values = Record<string, number>;
export type Observe = (target: string, atSeconds: number, values: Readonly<Values>) => void;

interface State {
  goroutines: number;
  liveBytes: number;
  /** Without momentary noise. */
  smoothLiveBytes: number;
  descriptors: number;
  threads: number;
  gogc: number;
  memory: GoMemory;
}

export class SimulatedNode {
  readonly #run: Dice;
  readonly #workload: Workload;
  readonly #counters: Counters;
  readonly #runtime: GoRuntime;
  readonly #leakage: Leakage | undefined;
  readonly #goroutineShape: Shape;
  readonly #heapShape: Shape;
  readonly #goroutineWander: Wander;
  readonly #heapWander: Wander;
  /** The same object for every scrape: callers must copy values that they keep. */
  readonly #values: Values = {};
  readonly #state: State = {
    goroutines: 0,
    liveBytes: 0,
    smoothLiveBytes: 0,
    descriptors: 0,
    threads: 0,
    gogc: 1,
    memory: { heapInUseBytes: 0, residentBytes: 0, stackBytes: 0 },
  };
  #atHours = 0;
  #startedHours: number;
  #nextRestart = 0;
  #nextReset = 0;
  #nextBurst = 0;
  #bursts: Burst[] = [];
  #threads: number;

  readonly name: string;
  readonly scenario: string;
  readonly plan: NodePlan;
  readonly #stepHours: number;

  constructor(name: string, scenario: string, plan: NodePlan, seed: number, stepHours: number) {
    this.name = name;
    this.scenario = scenario;
    this.plan = plan;
    this.#stepHours = stepHours;
    this.#run = diceFrom(seed);
    this.#workload = new Workload(plan, stepHours, this.#run);
    this.#counters = new Counters(plan.traits);
    this.#runtime = new GoRuntime(plan.traits);
    this.#leakage = plan.leak === undefined ? undefined : new Leakage(plan, plan.leak, this.#run);
    this.#goroutineShape = sumOf(plan.goroutineShapes);
    this.#heapShape = sumOf(plan.heapShapes);
    this.#goroutineWander = wanderOf(plan.wander, stepHours, this.#run);
    this.#heapWander = wanderOf(plan.wander, stepHours, this.#run);
    // When the record begins it has run for some days, at least as long as it has leaked.
    this.#startedHours = Math.min(plan.leak?.onsetHours ?? 0, -this.#run.uniform(10, 700));
    this.#counters.preload(-this.#startedHours, this.#workload);
    this.#threads = plan.traits.threads + plan.traits.threadRecords * Math.log(1 - this.#startedHours);
  }

  /** How fast the metric rises from the leak alone, per hour. */
  leakPerHour(metric?: string): number {
    const rate = this.#leakage?.ratePerHour(this.#atHours) ?? 0;
    if (metric === 'go_memstats_heap_inuse_bytes') return rate * this.plan.traits.fragmentation;
    if (metric !== 'process_resident_memory_bytes' || rate === 0) return rate;
    return (this.#residentIn(24, rate) - this.#residentIn(0, rate)) / 24;
  }

  /**
   * Hours until the kernel kills it, or descriptors run out, if the load stays as it is; undefined without a leak or a
   * limit.
   */
  hoursToLimit(): number | undefined {
    const { leak, limitBytes, exposesLimit, maxDescriptors } = this.plan;
    const rate = this.leakPerHour();
    if (leak === undefined || rate <= 0) return undefined;
    if (leak.resource === 'file descriptors') return (maxDescriptors - this.#state.descriptors) / rate;
    if (leak.resource === 'threads' || !exposesLimit) return undefined;
    // Memory that the runtime holds beyond its needs now will still be held then.
    const held = Math.max(1, this.#state.memory.residentBytes / this.#residentIn(0, rate));
    let low = 0;
    let high = 1e6;
    for (let i = 0; i < 50; i++) {
      const middle = (low + high) / 2;
      if (this.#residentIn(middle, rate) * held < limitBytes) low = middle;
      else high = middle;
    }
    return low;
  }

  #residentIn(hours: number, leakPerHour: number): number {
    const { leak, traits } = this.plan;
    const { smoothLiveBytes, goroutines, threads, gogc } = this.#state;
    const leaked = hours * leakPerHour;
    const inGoroutines = leak?.resource === 'goroutines';
    return settledResidentBytes(traits, {
      liveBytes: smoothLiveBytes + leaked * (inGoroutines ? leak.heapBytesPerUnit : 1),
      goroutines: goroutines + (inGoroutines ? leaked : 0),
      threads,
      gogc,
    });
  }

  /** Runs to the hour and returns every scrape on the way that was not lost. */
  advance(toHours: number, observe: Observe): void {
    const { plan } = this;
    while (this.#atHours + this.#stepHours <= toHours) {
      const at = this.#atHours + this.#stepHours;
      this.#restartIfDue(at);
      this.#advanceState(at, this.#stepHours);
      this.#atHours = at;
      if (this.#run.chance(plan.lostShare) || this.#isInGap(at)) continue;
      const jitterSeconds = this.#run.uniform(0, 0.05) * this.#stepHours * 3600;
      this.#expose(at);
      observe(this.name, RECORD_START_SECONDS + at * 3600 + jitterSeconds, this.#values);
    }
  }

  #isInGap(at: number): boolean {
    for (const [from, to] of this.plan.gaps) if (at >= from && at < to) return true;
    return false;
  }

  #restartIfDue(at: number): void {
    const { plan } = this;
    const planned = plan.restartHours;
    let due = this.#state.memory.residentBytes >= plan.limitBytes;
    while (this.#nextRestart < planned.length && planned[this.#nextRestart] <= at) {
      this.#nextRestart++;
      due = true;
    }
    while (this.#nextReset < plan.counterResetHours.length && plan.counterResetHours[this.#nextReset] <= at) {
      this.#nextReset++;
      this.#counters.reset();
    }
    if (!due) return;
    this.#startedHours = at - this.#run.uniform(0, this.#stepHours);
    this.#counters.reset();
    this.#runtime.restart();
    this.#leakage?.restart();
    this.#bursts = [];
    this.#threads = plan.traits.threads;
  }

  #advanceState(at: number, hours: number): void {
    const { plan } = this;
    const { traits } = plan;
    const run = this.#run;
    const workload = this.#workload;
    workload.advance(at);
    this.#leakage?.advance(at, hours, workload);
    this.#counters.advance(hours, workload);

    const age = at - this.#startedHours;
    const warm = 1 - Math.exp(-age / traits.warmUpHours);
    const cached = CACHE_SHARE * (1 - Math.exp(-age / CACHE_FILL_HOURS));
    const levels = settledLevels(plan, workload.pods, workload.startRate);
    const held = this.#leakage?.held ?? 0;
    const leak = plan.leak;

    const bursting = this.#burstGoroutines(at);
    const goroutineShare = this.#goroutineShape(at) + this.#goroutineWander();
    const leakedGoroutines = leak?.resource === 'goroutines' ? held : 0;
    const goroutines =
      levels.goroutines * (0.4 + 0.6 * warm) * (1 + goroutineShare + plan.noiseShare * run.normal()) +
      workload.reconnecting * 3 +
      bursting +
      leakedGoroutines;

    const heapShare = this.#heapShape(at) + this.#heapWander();
    const leakedBytes = leak?.resource === 'live heap' ? held : leakedGoroutines * (leak?.heapBytesPerUnit ?? 0);
    const heap = levels.heapBytes * (0.5 + 0.44 * warm + cached);
    const smoothLiveBytes = heap * (1 + heapShare) + bursting * 12_000 + leakedBytes;
    const liveBytes = smoothLiveBytes + heap * plan.noiseShare * run.normal();

    const leakedDescriptors = leak?.resource === 'file descriptors' ? held : 0;
    const descriptors =
      levels.descriptors * (1 + 0.5 * goroutineShare) + bursting * 0.3 + run.normal() + leakedDescriptors;

    // A thread is created when more calls block at once than ever before, and is never released, so growth slows with
    // age.
    if (run.chance((traits.threadRecords * hours) / (1 + age))) this.#threads++;
    this.#threads = Math.max(this.#threads, traits.threads + 0.02 * bursting);
    const threads = this.#threads + (leak?.resource === 'threads' ? held : 0);

    const state = this.#state;
    state.goroutines = Math.max(20, Math.round(goroutines));
    state.liveBytes = Math.max(2e6, Math.round(liveBytes));
    state.smoothLiveBytes = smoothLiveBytes;
    state.descriptors = Math.max(8, Math.round(descriptors));
    state.threads = Math.round(threads);
    state.gogc = plan.gogc(at);
    state.memory = this.#runtime.advance(hours, state, run.uniform(0, 1));
  }

  #burstGoroutines(at: number): number {
    const { bursts } = this.plan;
    while (this.#nextBurst < bursts.length && bursts[this.#nextBurst].atHours <= at) {
      this.#bursts.push(bursts[this.#nextBurst++]);
    }
    if (this.#bursts.length === 0) return 0;
    let sum = 0;
    for (const burst of this.#bursts) {
      if (at < burst.atHours + burst.lengthHours) sum += burst.goroutines;
      else this.#bursts = this.#bursts.filter(other => other !== burst);
    }
    return sum;
  }

  #expose(at: number): void {
    const { plan } = this;
    const values = this.#values;
    const { goroutines, liveBytes, descriptors, threads, memory } = this.#state;
    values.go_goroutines = goroutines;
    values.go_threads = threads;
    if (plan.metrics !== 'no live heap') {
      values.go_gc_heap_live_bytes = liveBytes;
      values.go_memory_classes_heap_stacks_bytes = memory.stackBytes;
    }
    values.go_memstats_heap_inuse_bytes = memory.heapInUseBytes;
    values.go_memstats_stack_inuse_bytes = memory.stackBytes;
    values.process_resident_memory_bytes = memory.residentBytes;
    values.process_open_fds = descriptors;
    values.process_max_fds = plan.maxDescriptors;
    values.process_start_time_seconds =
      Math.round((RECORD_START_SECONDS + this.#startedHours * 3600 + plan.skewSeconds(at)) * 100) / 100;
    if (plan.exposesLimit) values.container_spec_memory_limit_bytes = plan.limitBytes;
    if (plan.metrics !== 'no kubelet metrics') values.kubelet_running_pods = this.#workload.pods;
    this.#counters.expose(values, plan.metrics !== 'no kubelet metrics');
  }
}
