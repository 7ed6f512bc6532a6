/**
 * The past of a fleet from a Prometheus, part by part, as if watch had run all along.
 *
 *     part 1   ----------------------------|==|==|==|  samples up to the first evaluation are given at once, the later
 *     part 2   ----------------------------|==|==|==|  ones when every part is there: the fleet is judged together
 */
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts';
import type { Description } from '../../evidence/attribute-runs.ts';
import type { Timeline } from '../../evidence/recording/timeline.ts';
import { HistoryFailure } from '../../live/history/history-failure.ts';
import { readFleetHistory, type FleetHistoryOptions } from '../../live/history/read-fleet-history.ts';
import type { MetricsHistory } from '../../live/metrics-history.ts';
import type { Watch } from '../watch.ts';
import type { MissingRight } from '../state/missing-rights.ts';

export type PastWatch = Pick<Watch, 'addSample' | 'describe' | 'evaluate' | 'settle'>;

interface Held {
  readonly name: string;
  readonly timeline: Timeline;
  readonly descriptions: readonly Description[];
}

/** `evaluations`: when to judge, in time order; the last one is the end. Returns the problem, if there is one. */
export async function takeUpPast(
  watch: PastWatch,
  history: MetricsHistory,
  evaluations: readonly number[],
  options: FleetHistoryOptions,
): Promise<MissingRight | undefined> {
  const first = evaluations[0] ?? options.nowSeconds;
  let held: Held[] = [];
  try {
    for await (const { targets } of readFleetHistory(history, options)) {
      for (const { name, timeline } of targets) {
        const later = give(watch, { name, timeline, descriptions: timeline.descriptions }, first);
        const rest = timeline.rest();
        if (rest !== undefined) held.push({ ...later, timeline: rest });
        await yieldToEventLoop();
      }
      // Nothing waits for the store and the detector to be done with one part but the next.
      await watch.settle();
    }
  } catch (error) {
    if (!(error instanceof HistoryFailure)) throw error;
    const { isRefused, sentence, nextStep } = error.problem;
    return { why: isRefused ? 'forbidden' : 'failing', what: sentence, command: nextStep };
  }
  for (const at of evaluations) {
    if (options.signal.aborted) break;
    held = held.map(one => give(watch, one, at));
    await watch.settle();
    await watch.evaluate(at);
  }
  return undefined;
}

/** A target is there from its first sample on; before, it cannot be described. */
function give(watch: PastWatch, { name, timeline, descriptions }: Held, until: number): Held {
  for (const { atSeconds, values } of timeline.until(until)) watch.addSample(name, atSeconds, values);
  if (timeline.fromSeconds > until) return { name, timeline, descriptions };
  const due = descriptions.filter(({ atSeconds }) => atSeconds <= until);
  for (const { atSeconds, attributes } of due) watch.describe(name, attributes, atSeconds);
  return { name, timeline, descriptions: descriptions.slice(due.length) };
}
