/** What follows from the samples of one target: its lives, its levels, what its newest sample says, and whether growth follows pods. */
import { finite, firstFinite } from '../../base/finite.ts';
import { isRestart, type LifeSigns } from '../../evidence/process-life.ts';
import { factsOf, type Resource } from '../../evidence/resource.ts';
import { Levels } from './levels.ts';
import { POD_METRICS, RESOURCE_RULES } from '../../evidence/resource-rules.ts';

/** The life of one process. */
interface WatchedLife {
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

export interface Following {
  readonly resource: Resource;
  /** First and last in this life. */
  readonly pods: readonly [number, number];
  readonly level: readonly [number, number];
}

/** People ask about these when pods come and go. */
const FOLLOWED: readonly Resource[] = ['goroutines', 'live heap'];
const MIN_CORRELATION = 0.9;
const MIN_SAMPLES = 20;
const MIN_PODS = 5;
const MIN_POD_SHARE = 0.25;

/**
 * Whether a resource of a target follows its number of pods in this life: how closely the two move together.
 *
 *     pods          8 ... 30 ... 82
 *     goroutines  164 ... 216 ... 322     correlation 0.98: they follow
 */
export class PodFollowing {
  readonly #moments = new Map<Resource, Moments>();

  add(values: Readonly<Record<string, number>>): void {
    const pods = firstFinite(values, POD_METRICS);
    if (pods === undefined) return;
    for (const { resource, sources } of RESOURCE_RULES) {
      if (!FOLLOWED.includes(resource)) continue;
      const level = firstFinite(
        values,
        sources.map(({ metric }) => metric),
      );
      if (level === undefined) continue;
      let moments = this.#moments.get(resource);
      if (moments === undefined) this.#moments.set(resource, (moments = new Moments()));
      moments.add(pods, level);
    }
  }

  /** Another life begins. */
  reset(): void {
    this.#moments.clear();
  }

  /** What grew with more pods, if anything did. */
  followed(): Following | undefined {
    for (const resource of FOLLOWED) {
      const moments = this.#moments.get(resource);
      if (moments === undefined || moments.count < MIN_SAMPLES) continue;
      const { pods, level } = moments;
      const { amount, share } = factsOf(resource).leastGrowth;
      const hasGrown = level[1] - level[0] >= Math.max(amount, share * level[0]);
      const hasMorePods = pods[1] - pods[0] >= Math.max(MIN_PODS, MIN_POD_SHARE * pods[0]);
      if (hasGrown && hasMorePods && moments.correlation >= MIN_CORRELATION) return { resource, pods, level };
    }
    return undefined;
  }
}

/** Means and covariances without keeping the samples (Welford). */
class Moments {
  count = 0;
  pods: readonly [number, number] = [0, 0];
  level: readonly [number, number] = [0, 0];
  #meanX = 0;
  #meanY = 0;
  #xx = 0;
  #yy = 0;
  #xy = 0;

  add(x: number, y: number): void {
    this.pods = [this.count === 0 ? x : this.pods[0], x];
    this.level = [this.count === 0 ? y : this.level[0], y];
    this.count++;
    const dx = x - this.#meanX;
    const dy = y - this.#meanY;
    this.#meanX += dx / this.count;
    this.#meanY += dy / this.count;
    this.#xx += dx * (x - this.#meanX);
    this.#yy += dy * (y - this.#meanY);
    this.#xy += dx * (y - this.#meanY);
  }

  get correlation(): number {
    const spread = Math.sqrt(this.#xx * this.#yy);
    return spread === 0 ? 0 : this.#xy / spread;
  }
}
