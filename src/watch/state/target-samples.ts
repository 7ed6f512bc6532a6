/** What follows from the samples of one target: its lives, its levels, and what its newest sample says. */
import { finite, firstFinite } from '../../base/finite.ts';
import { isRestart, type LifeSigns } from '../../evidence/process-life.ts';
import { factsOf } from '../../evidence/resource.ts';
import { Levels } from './levels.ts';
import { PodFollowing } from './pod-following.ts';

/** The life of one process. */
export interface WatchedLife {
  readonly from: number;
  to: number | null;
}

export interface Restart {
  readonly at: number;
  /** When the new process began. */
  readonly startSeconds: number;
}

const MAX_LIVES = 100;
/** The weight of the newest sample in the smoothed CPU time. */
const CPU_WEIGHT = 0.3;

export class TargetSamples {
  readonly levels: Levels;
  readonly podFollowing: PodFollowing = new PodFollowing();
  readonly lives: WatchedLife[] = [];
  latest: Readonly<Record<string, number>> = {};
  firstAt: number | undefined;
  /** Without a sample here: when the store says that it was last seen. */
  lastAt: number | undefined;
  cpuCores: number | undefined;

  constructor(hourSeconds?: number) {
    this.levels = new Levels(hourSeconds);
  }

  /** Takes in a sample; returns a restart if it shows one. */
  observe(at: number, values: Readonly<Record<string, number>>): Restart | undefined {
    const restart = this.#followLife(at, values);
    if (restart !== undefined) this.podFollowing.reset();
    this.podFollowing.add(values);
    this.#followCpu(at, values);
    this.latest = values;
    this.firstAt ??= at;
    this.lastAt = at;
    this.levels.add(at, values);
    return restart;
  }

  get startSeconds(): number | undefined {
    return finite(this.latest['process_start_time_seconds']);
  }

  get goroutines(): number | undefined {
    return firstFinite(this.latest, factsOf('goroutines').metrics);
  }

  get liveHeapBytes(): number | undefined {
    return firstFinite(this.latest, factsOf('live heap').metrics);
  }

  get memoryBytes(): number | undefined {
    // The limit of a cgroup applies to the cgroup's own figure.
    return firstFinite(this.latest, ['container_memory_working_set_bytes', 'process_resident_memory_bytes']);
  }

  #followLife(at: number, values: Readonly<Record<string, number>>): Restart | undefined {
    const now = lifeSigns(at, values);
    const start = now.startSeconds;
    if (this.lives.length === 0) this.lives.push({ from: start ?? at, to: null });
    // Without start times, a counter reset would look like a restart.
    if (start === undefined || this.startSeconds === undefined) return undefined;
    if (!isRestart(lifeSigns(this.lastAt, this.latest), now)) return undefined;
    const current = this.lives.at(-1);
    if (current !== undefined) current.to = this.lastAt ?? at;
    this.lives.push({ from: start, to: null });
    if (this.lives.length > MAX_LIVES) this.lives.shift();
    this.cpuCores = undefined;
    return { at, startSeconds: start };
  }

  #followCpu(at: number, values: Readonly<Record<string, number>>): void {
    const now = finite(values['process_cpu_seconds_total']);
    const before = finite(this.latest['process_cpu_seconds_total']);
    if (now === undefined || before === undefined || this.lastAt === undefined) return;
    const seconds = at - this.lastAt;
    if (seconds <= 0 || now < before) return;
    const cores = (now - before) / seconds;
    this.cpuCores = this.cpuCores === undefined ? cores : this.cpuCores + CPU_WEIGHT * (cores - this.cpuCores);
  }
}

function lifeSigns(atSeconds: number | undefined, values: Readonly<Record<string, number>>): LifeSigns {
  return {
    atSeconds,
    startSeconds: finite(values['process_start_time_seconds']),
    cpuSeconds: finite(values['process_cpu_seconds_total']),
  };
}
