/**
 * When the fleet is judged, one evaluation at a time: every few minutes, as soon as histories were read, and on request.
 *
 *     pending samples -> detector -> cohorts, on the leader, once an hour -> incidents -> captures
 *
 * While old samples are loaded from elsewhere, only requests count, since they come in time order.
 */
import { formatAge } from '../base/say.ts';
import type { TargetVerdict } from '../judge/detect/detection.ts';
import { foldMembers, followCohorts } from './incidents/follow-cohorts.ts';
import { followVerdicts } from './incidents/follow-verdicts.ts';
import { considerProfiler } from './incidents/read-profiler.ts';
import { considerCapture } from './incidents/run-captures.ts';
import { logFleetState } from './incidents/fleet-events.ts';
import { stopwatch } from './loops.ts';
import { isHistoryComplete, readHistories } from './state/read-history.ts';
import type { WatchState } from './state/watch-state.ts';

/** Evaluations take at most this share of the time. */
const EVALUATION_SHARE = 0.1;
/** Reading that takes less is not logged. */
const LOGGED_SECONDS = 10;
/** The least time between two evaluations while histories are read. */
const JUDGE_READ_SECONDS = 60;

export class Evaluation {
  readonly #state: WatchState;
  #isBackfilling = false;
  /** Settles with the evaluation that was asked for last. */
  #last: Promise<void> = Promise.resolve();
  /** By the clock of the watched cluster, which may run faster than real time. */
  #tookSeconds = 0;
  /** The hour of the detector for which cohorts were last compared. */
  #cohortsHour = -1;

  constructor(state: WatchState) {
    this.#state = state;
  }

  set isBackfilling(isBackfilling: boolean) {
    this.#isBackfilling = isBackfilling;
  }

  /** Until the next regular evaluation. */
  get pauseSeconds(): number {
    return Math.max(this.#state.options.evaluateSeconds, this.#tookSeconds / EVALUATION_SHARE);
  }

  async regular(): Promise<void> {
    if (!this.#isBackfilling) await this.at();
  }

  /** Judges the samples up to a time; by default up to now. */
  at(at: number = this.#state.ports.clock.now()): Promise<void> {
    const judged = this.#last.then(() => this.#judge(at));
    this.#last = judged.catch(() => {});
    return judged;
  }

  /** Hands the detector what it has not received yet. */
  flush(): void {
    const { described, pending, ports } = this.#state;
    if (described.length > 0) ports.background.describe(described.splice(0));
    if (pending.length > 0) ports.background.observe(pending.splice(0));
  }

  /** What was read is judged soon: those with an incident, which come first, at once. */
  async readHistory(): Promise<void> {
    const { clock, log } = this.#state.ports;
    const beganAt = clock.now();
    let [count, judged, judgedAt] = [0, 0, -Infinity];
    const judgeSoon = async (pause: number): Promise<void> => {
      if (count === judged || this.#isBackfilling || clock.now() < judgedAt + pause) return;
      [judged, judgedAt] = [count, clock.now()];
      await this.at();
    };
    for await (const read of readHistories(this.#state)) {
      count += read;
      await judgeSoon(JUDGE_READ_SECONDS);
    }
    await judgeSoon(0);
    const seconds = clock.now() - beganAt;
    if (count > 0 && seconds >= LOGGED_SECONDS) log(`the past of ${count} targets was read in ${formatAge(seconds)}`);
  }

  async #judge(at: number): Promise<void> {
    const state = this.#state;
    const { ports, share, counters } = state;
    this.flush();
    const taken = stopwatch();
    const beganAt = ports.clock.now();
    const all: readonly TargetVerdict[] = await ports.background.evaluate(at);
    const verdicts = all.filter(({ target }) => state.targets.get(target)?.phase.isVerdictOwn);
    counters.evaluations++;
    counters.evaluationSeconds = taken();
    this.#tookSeconds = ports.clock.now() - beganAt;
    const leads = share.isLeader && isHistoryComplete(state);
    if (leads) await this.#judgeCohorts(at);
    if (leads && share.isLeader) followCohorts(state, at);
    await followVerdicts(state, verdicts, at);
    if (leads && share.isLeader) foldMembers(state);
    // A suspicion is worth a capture at once, not with the next sample.
    for (const target of state.targets.values()) {
      if (target.incidentId === undefined || !target.phase.isSampled) continue;
      considerCapture(state, target);
      considerProfiler(state, target);
    }
    if (state.options.mode === 'demo') logFleetState(state);
    state.emit({ kind: 'fleet', at });
  }

  /** Cohorts are compared by the hour: until another one ends, nothing changes. */
  async #judgeCohorts(at: number): Promise<void> {
    const state = this.#state;
    const hour = Math.floor(at / state.options.hourSeconds);
    if (hour === this.#cohortsHour) return;
    this.#cohortsHour = hour;
    const proved = [...state.targets.values()].flatMap(target =>
      target.proved.map(resource => ({ target: target.name, resource })),
    );
    state.cohorts = await state.ports.background.cohorts(at, proved);
    state.outgoing?.setCohorts(state.cohorts);
  }
}
