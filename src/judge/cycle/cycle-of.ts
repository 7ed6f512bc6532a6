/**
 * Derives the OOM cycle of a target from everything that was observed.
 *
 *     cycleOf('worker-17', observations).sentence
 *
 * A pure function of the set of observations: a server can keep them and call it again after each.
 */
import type { CycleObservation, CycleStage, OomCycle } from '../../evidence/cycle/cycle.ts';
import { adviceOf } from './advice.ts';
import { historyOf } from './history.ts';
import { reasonsOf, sentenceOf } from './sentence.ts';
import { deathsOf, stageOf } from './stage.ts';
import { timelineOf } from './timeline.ts';

export interface CycleOptions {
  /** The process, as the kernel and systemd name it; the kubelet by default. */
  readonly process?: string;
}

export function cycleOf(
  target: string,
  observations: Iterable<CycleObservation>,
  options: CycleOptions = {},
): OomCycle {
  const history = historyOf(target, observations, options.process);
  const stage = stageOf(history);
  const { events, omitted } = timelineOf(history);
  const left = omitted === 0 ? [] : [`${omitted} earlier events are not in the timeline`];
  return {
    target,
    stage,
    sentence: sentenceOf(stage, history),
    timeline: events,
    deaths: deathsOf(history),
    rivals: history.restarters,
    reasons: [...reasonsOf(history), ...left],
    advice: adviceOf(stage, history),
  };
}

const WORST_FIRST: readonly CycleStage[] = ['re-oom', 'killed', 'storm', 'pre-oom', 'recovered', 'healthy', 'unknown'];

/** Worst first, then by name. */
export function compareCycles(a: OomCycle, b: OomCycle): number {
  const rank = ({ stage }: OomCycle): number => WORST_FIRST.indexOf(stage);
  return rank(a) - rank(b) || (a.target < b.target ? -1 : 1);
}
