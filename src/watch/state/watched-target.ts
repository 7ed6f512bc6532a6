/** What watch keeps in memory about one target. */
import { finite, firstFinite } from '../../base/finite.ts';
import type { ResourceLedger } from '../../judge/analysis.ts';
import type { ResourceVerdict, TargetVerdict } from '../../judge/detect/detection.ts';
import type { ToldVerdict } from '../replicas/news.ts';
import {
  type LimitSource,
  type Resource,
  factsOf,
  limitSourceIn,
  memoryLimitIn,
  resourceOf,
} from '../../evidence/resource.ts';
import { isRestart, type LifeSigns } from '../../evidence/process-life.ts';
import { clusterOf } from '../../evidence/target.ts';
import type { DetectorRow } from '../background.ts';
import type { TargetConnection } from '../../live/ports.ts';
import type { LastCapture } from './capture-policy.ts';
import { Levels } from './levels.ts';
import { PodFollowing } from './pod-following.ts';
import { type Verdict, worseOf } from '../../judge/verdict.ts';

/** The verdict changes of one target over time; the heat map draws them. */
const MAX_CHANGES = 200;

const LETTERS: Readonly<Record<Verdict, string>> = { leak: 'l', watch: 'w', unknown: 'u', healthy: 'h' };

/** Watch watches itself under this name; replicas under `oakum/ID`. */
export const SELF = 'oakum';

export function selfName(replica: string | undefined): string {
  return replica === undefined ? SELF : `${SELF}/${replica}`;
}

/** The replica that is this target itself; undefined if it is none. */
export function replicaOf(target: string): string | undefined {
  return target.startsWith(`${SELF}/`) ? target.slice(SELF.length + 1) : undefined;
}

export function isSelf(target: string): boolean {
  return target === SELF || target.startsWith(`${SELF}/`);
}

export interface TargetEntry {
  /** `node/worker-17` */
  readonly name: string;
  /** Undefined if samples come from elsewhere and there are no profiles. */
  readonly connection: TargetConnection | undefined;
  /** Used instead of the connection; watch uses it for itself. */
  readonly read?: () => Readonly<Record<string, number>>;
  readonly attributes: Readonly<Record<string, string>>;
  /** Used if no metric has it. */
  readonly memoryLimitBytes?: number | undefined;
  /** The node's allocatable memory, as the API server says. */
  readonly allocatableBytes?: number | undefined;
}

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
const CPU_MEMORY = 0.3;

export class WatchedTarget {
  readonly name: string;
  /** Where there are several. */
  readonly cluster: string | undefined;
  connection: TargetConnection | undefined;
  read: (() => Readonly<Record<string, number>>) | undefined;
  attributes: Readonly<Record<string, string>> = {};
  /** Feature gates, on or off: too many to show or to store. */
  gates: Readonly<Record<string, string>> = {};
  givenLimitBytes: number | undefined;
  allocatableBytes: number | undefined;
  /** The limit of its cgroup, where another endpoint than its metrics has it, and when that was last read. */
  cgroupLimitBytes: number | undefined;
  limitReadAt: number | undefined;
  /** The start time of the life whose configuration was read. */
  configReadOf: number | undefined;
  levels: Levels;
  readonly log: VerdictLog = new VerdictLog();
  /** Whether this replica samples it; always if the watch is alone. */
  isOwned = true;
  /** Whether its samples go to this replica's detector: its own, and all if it leads. */
  isJudged = true;
  /** What follows from samples of the past is not known here yet; nor to the detector. */
  isUnread = false;
  isBehind = false;
  /** There are samples of an earlier run, or of another replica. */
  hasPast = false;
  /** The past is being read, and samples that come meanwhile are held. */
  isReading = false;
  held: DetectorRow[] = [];
  /** When this process first sampled it while it was unread. */
  sampledSince: number | undefined;
  podFollowing: PodFollowing = new PodFollowing();
  lives: WatchedLife[] = [];
  latest: Readonly<Record<string, number>> = {};
  firstSampleAt: number | undefined;
  lastSampleAt: number | undefined;
  /** When to sample its profiles again; undefined while it has metrics. */
  pprofDueAt: number | undefined;
  /** Why it did not answer; undefined while it does. */
  silentWhy: string | undefined;
  /** What the detector says from the metrics alone. */
  detected: TargetVerdict | undefined;
  /** What the captures of this life show. */
  captured: readonly ResourceLedger[] = [];
  /** Both together. */
  verdict: TargetVerdict | undefined;
  /** What other replicas were last told, as a hash. */
  told: { readonly print: number; readonly at: number } | undefined;
  /** What the captures of this life prove to leak, as another replica says. */
  #provedElsewhere: readonly Resource[] = [];
  incidentId: string | undefined;
  /** Of this life. */
  captures: LastCapture[] = [];
  isCapturing = false;
  /** When the last routine heap profile was taken or tried, and the ids of those that are kept, newest last. */
  routineAt: number | undefined;
  routineIds: readonly string[] = [];
  cpuCores: number | undefined;
  /** When to ask the continuous profiler about this life at the earliest, and whether it was told that it failed. */
  pastDueAt: number | undefined;
  isPastFailureTold = false;

  constructor(entry: TargetEntry, timeScale: number) {
    this.name = entry.name;
    this.cluster = clusterOf(entry.name);
    this.attributes = entry.attributes;
    this.renew(entry);
    this.levels = new Levels(timeScale);
  }

  /** The target was found again under the same name, maybe with another connection. */
  renew({ connection, read, memoryLimitBytes, allocatableBytes }: TargetEntry): void {
    this.connection = connection;
    this.read = read;
    this.givenLimitBytes = memoryLimitBytes;
    this.allocatableBytes = allocatableBytes;
  }

  /** Takes in a sample; returns a restart if it shows one. */
  observe(at: number, values: Readonly<Record<string, number>>): Restart | undefined {
    const restart = this.#followLife(at, values);
    if (restart !== undefined) this.podFollowing.reset();
    this.podFollowing.add(values);
    this.#followCpu(at, values);
    this.latest = values;
    this.firstSampleAt ??= at;
    this.lastSampleAt = at;
    this.levels.add(at, values);
    return restart;
  }

  /** The same target, with nothing that follows from samples. */
  withoutPast(timeScale: number): WatchedTarget {
    return new WatchedTarget({ name: this.name, connection: undefined, attributes: {} }, timeScale);
  }

  /** What followed from all of its samples, instead of what is known so far. */
  takePast(past: WatchedTarget): void {
    this.isUnread = false;
    // The store has nothing of it.
    if (past.lastSampleAt === undefined) return;
    this.levels = past.levels;
    this.podFollowing = past.podFollowing;
    this.lives = past.lives;
    this.latest = past.latest;
    this.firstSampleAt = past.firstSampleAt;
    this.lastSampleAt = past.lastSampleAt;
    this.cpuCores = past.cpuCores;
    this.captures = [];
    this.routineAt = undefined;
    this.routineIds = [];
  }

  /** Nothing can be said about it before its past is read. */
  get awaitsPast(): boolean {
    return this.isUnread && this.hasPast && this.verdict === undefined;
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

  get lastHeapAt(): number | undefined {
    const times = [this.captures.at(-1)?.at, this.routineAt].filter(at => at !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  get memoryBytes(): number | undefined {
    // The limit of a cgroup applies to the cgroup's own figure.
    return firstFinite(this.latest, ['container_memory_working_set_bytes', 'process_resident_memory_bytes']);
  }

  get memoryLimitBytes(): number | undefined {
    return memoryLimitIn(this.latest) ?? this.givenLimitBytes;
  }

  /** Undefined when no limit is known. */
  get limitSource(): LimitSource | undefined {
    return limitSourceIn(this.latest) ?? (this.givenLimitBytes === undefined ? undefined : 'given');
  }

  /** The worst of its resources; undefined when unknown. */
  get worst(): ResourceVerdict | undefined {
    return this.verdict?.resources[0];
  }

  /** What captures prove to leak, here or at the replica that samples it. */
  get proved(): readonly Resource[] {
    const here = this.captured.flatMap(({ resource, verdict }) => (verdict === 'leak' ? [resourceOf(resource)] : []));
    return this.isOwned ? here : this.#provedElsewhere;
  }

  /** The last word of another replica. */
  recallVerdict({ at, detected, verdict = detected, proved }: ToldVerdict): void {
    this.detected = detected;
    this.verdict = verdict;
    this.#provedElsewhere = proved;
    this.told = undefined;
    this.log.add(at, verdict.verdict);
  }

  verdictOf(resource: Resource): ResourceVerdict | undefined {
    return this.verdict?.resources.find(one => one.resource === resource);
  }

  #followLife(at: number, values: Readonly<Record<string, number>>): Restart | undefined {
    const now = lifeSigns(at, values);
    const start = now.startSeconds;
    if (this.lives.length === 0) this.lives.push({ from: start ?? at, to: null });
    // Without start times, a counter reset would look like a restart.
    if (start === undefined || this.startSeconds === undefined) return undefined;
    if (!isRestart(lifeSigns(this.lastSampleAt, this.latest), now)) return undefined;
    const current = this.lives.at(-1);
    if (current !== undefined) current.to = this.lastSampleAt ?? at;
    this.lives.push({ from: start, to: null });
    if (this.lives.length > MAX_LIVES) this.lives.shift();
    this.captures = [];
    this.captured = [];
    this.routineAt = undefined;
    this.pastDueAt = undefined;
    this.isPastFailureTold = false;
    this.cpuCores = undefined;
    return { at, startSeconds: start };
  }

  #followCpu(at: number, values: Readonly<Record<string, number>>): void {
    const now = finite(values['process_cpu_seconds_total']);
    const before = finite(this.latest['process_cpu_seconds_total']);
    if (now === undefined || before === undefined || this.lastSampleAt === undefined) return;
    const seconds = at - this.lastSampleAt;
    if (seconds <= 0 || now < before) return;
    const cores = (now - before) / seconds;
    this.cpuCores = this.cpuCores === undefined ? cores : this.cpuCores + CPU_MEMORY * (cores - this.cpuCores);
  }
}

function lifeSigns(atSeconds: number | undefined, values: Readonly<Record<string, number>>): LifeSigns {
  return {
    atSeconds,
    startSeconds: finite(values['process_start_time_seconds']),
    cpuSeconds: finite(values['process_cpu_seconds_total']),
  };
}

export class VerdictLog {
  readonly #changes: { readonly at: number; readonly verdict: Verdict }[] = [];

  add(at: number, verdict: Verdict): void {
    if (this.#changes.at(-1)?.verdict === verdict) return;
    this.#changes.push({ at, verdict });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /** One letter per bin up to now, for the worst verdict in it; '-' when unknown. */
  heat(from: number, stepSeconds: number, count: number, now: number): string {
    let letters = '';
    const changes = this.#changes.values();
    let next = changes.next();
    let current: Verdict | undefined;
    for (let bin = 0; bin < count; bin++) {
      const start = from + bin * stepSeconds;
      if (start > now) {
        letters += '-';
        continue;
      }
      let inBin: Verdict | undefined;
      for (; next.done !== true && next.value.at < start + stepSeconds; next = changes.next()) {
        const { at, verdict } = next.value;
        if (at > start) inBin = worseSeen(inBin, current);
        current = verdict;
      }
      inBin = worseSeen(inBin, current);
      letters += inBin === undefined ? '-' : LETTERS[inBin];
    }
    return letters;
  }
}

function worseSeen(a: Verdict | undefined, b: Verdict | undefined): Verdict | undefined {
  return a === undefined || b === undefined ? (a ?? b) : worseOf(a, b);
}
