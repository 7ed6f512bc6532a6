/** What watch keeps in memory about one target. */
import type { ResourceLedger } from '../../judge/analysis.ts';
import type { ResourceVerdict, TargetVerdict } from '../../judge/detect/detection.ts';
import { PROFILER_TRIGGER, ROUTINE_KEPT, type StoredCapture } from '../../store/records.ts';
import type { SentVerdict } from '../replicas/ports.ts';
import { type LimitSource, limitSourceIn, memoryLimitIn, type Resource, resourceOf } from '../../evidence/resource.ts';
import { clusterOf } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/ports.ts';
import type { LastCapture } from './capture-policy.ts';
import { TargetPhase } from './target-phase.ts';
import { type Restart, TargetSamples } from './target-samples.ts';
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

/** Where the memory limit of a target may come from, besides its metrics. */
interface TargetLimits {
  givenBytes: number | undefined;
  allocatableBytes: number | undefined;
  /** The limit of its cgroup, where another endpoint than its metrics has it, and when that was last read. */
  cgroupBytes?: number | undefined;
  readAt?: number;
}

export class WatchedTarget {
  readonly name: string;
  /** Where there are several. */
  readonly cluster: string | undefined;
  connection: TargetConnection | undefined;
  read: (() => Readonly<Record<string, number>>) | undefined;
  attributes: Readonly<Record<string, string>> = {};
  /** Feature gates, on or off: too many to show or to store. */
  gates: Readonly<Record<string, string>> = {};
  /** The start time of the life whose configuration was read. */
  configReadOf: number | undefined;
  limits: TargetLimits = { givenBytes: undefined, allocatableBytes: undefined };
  readonly phase: TargetPhase = new TargetPhase();
  samples: TargetSamples;
  /** When to sample its profiles again; undefined while it has metrics. */
  pprofDueAt: number | undefined;
  /** Why it did not answer; undefined while it does. */
  silentWhy: string | undefined;
  readonly captures: TargetCaptures = new TargetCaptures();
  /** What the detector says from the metrics alone. */
  detected: TargetVerdict | undefined;
  /** Together with what captures and cohorts show. */
  verdict: TargetVerdict | undefined;
  readonly log: VerdictLog = new VerdictLog();
  /** The verdict that was last sent to other replicas, as a hash. */
  sent: { readonly print: number; readonly at: number } | undefined;
  /** What the captures of this life prove to leak, as another replica says. */
  #provedElsewhere: readonly Resource[] = [];
  incidentId: string | undefined;

  constructor(entry: TargetEntry, hourSeconds?: number) {
    this.name = entry.name;
    this.cluster = clusterOf(entry.name);
    this.attributes = entry.attributes;
    this.renew(entry);
    this.samples = new TargetSamples(hourSeconds);
  }

  /** The target was found again under the same name, maybe with another connection. */
  renew({ connection, read, memoryLimitBytes, allocatableBytes }: TargetEntry): void {
    this.connection = connection;
    this.read = read;
    this.limits = { ...this.limits, givenBytes: memoryLimitBytes, allocatableBytes };
  }

  /** Takes in a sample; returns a restart if it shows one. */
  observe(at: number, values: Readonly<Record<string, number>>): Restart | undefined {
    const restart = this.samples.observe(at, values);
    if (restart !== undefined) this.captures.beginLife();
    return restart;
  }

  /** Takes what follows from all of its samples, instead of what is known so far. */
  takeHistory(all: TargetSamples): void {
    this.phase.memoryRead();
    // The store has nothing of it.
    if (all.lastAt === undefined) return;
    this.samples = all;
    this.captures.clear();
  }

  /** Nothing can be said about it before its history is read. */
  get awaitsHistory(): boolean {
    return this.phase.isAwaited && this.verdict === undefined;
  }

  /** As the catalogue names it; empty if no metric tells. */
  get component(): string {
    return this.samples.latest['kubelet_running_pods'] === undefined ? '' : 'kubelet';
  }

  get startSeconds(): number | undefined {
    return this.samples.startSeconds;
  }

  get memoryLimitBytes(): number | undefined {
    return memoryLimitIn(this.samples.latest) ?? this.limits.givenBytes;
  }

  /** Undefined when no limit is known. */
  get limitSource(): LimitSource | undefined {
    return limitSourceIn(this.samples.latest) ?? (this.limits.givenBytes === undefined ? undefined : 'given');
  }

  /** The worst of its resources; undefined when unknown. */
  get worst(): ResourceVerdict | undefined {
    return this.verdict?.resources[0];
  }

  /** What captures prove to leak, here or at the replica that samples it. */
  get proved(): readonly Resource[] {
    if (!this.phase.isSampled) return this.#provedElsewhere;
    return this.captures.ledgers.flatMap(({ resource, verdict }) => (verdict === 'leak' ? [resourceOf(resource)] : []));
  }

  /** The newest verdict of another replica. */
  recallVerdict({ at, detected, verdict = detected, proved }: SentVerdict): void {
    this.detected = detected;
    this.verdict = verdict;
    this.#provedElsewhere = proved;
    this.sent = undefined;
    this.log.add(at, verdict.verdict);
  }

  verdictOf(resource: Resource): ResourceVerdict | undefined {
    return this.verdict?.resources.find(one => one.resource === resource);
  }
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

const MAX_REMEMBERED = 50;

/** What was captured of the present life of a target, as far as the triggers of captures need to know. */
class TargetCaptures {
  /** Other than routine ones, newest last. */
  taken: readonly LastCapture[] = [];
  isBeingTaken = false;
  /** What the captures show. */
  ledgers: readonly ResourceLedger[] = [];
  /** When to ask the continuous profiler about this life at the earliest, and whether a failure was logged. */
  profilerDueAt: number | undefined;
  isProfilerFailureLogged = false;
  /** When the last routine heap profile was taken or tried. */
  #routineAt: number | undefined;
  /** The routine profiles that the store keeps, also of earlier lives; newest last. */
  #routineIds: readonly string[] = [];

  get lastHeapAt(): number | undefined {
    const times = [this.taken.at(-1)?.at, this.#routineAt].filter(at => at !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** One was taken, or was tried. */
  add(capture: LastCapture): void {
    if (capture.trigger === 'routine') this.#routineAt = capture.at;
    else this.taken = [...this.taken, capture].slice(-MAX_REMEMBERED);
  }

  /** Returns the ids of those that the store drops now. */
  addRoutine(id: string): readonly string[] {
    const ids = [...this.#routineIds, id];
    this.#routineIds = ids.slice(-ROUTINE_KEPT);
    return ids.slice(0, -ROUTINE_KEPT);
  }

  /** One of this life that an earlier run or another replica took. Returns the ids of those that the store drops. */
  recall({ id, at, trigger }: StoredCapture): readonly string[] {
    if (trigger === PROFILER_TRIGGER) return [];
    const unknown = { goroutines: undefined, liveHeapBytes: undefined, memoryBytes: undefined };
    this.add({ at, trigger: trigger as LastCapture['trigger'], ...unknown });
    return trigger === 'routine' ? this.addRoutine(id) : [];
  }

  /** Before all of them are recalled. */
  clear(): void {
    this.taken = [];
    this.#routineAt = undefined;
    this.#routineIds = [];
  }

  /** The process was restarted. */
  beginLife(): void {
    this.taken = [];
    this.ledgers = [];
    this.#routineAt = undefined;
    this.profilerDueAt = undefined;
    this.isProfilerFailureLogged = false;
  }
}
