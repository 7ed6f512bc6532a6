/**
 * Takes samples from an existing Prometheus: first old ones, so that there are verdicts at once, then the new ones. The
 * past is read as `oakum detect` reads it, in parts of the fleet; of the new samples there are few, and one query per
 * metric, aggregated by target in Prometheus, has those of the whole fleet.
 */
import { valueByLabels } from '../../evidence/recording/hourly-query.ts';
import { attributeQueries, differingGatesQuery, gateNamesIn } from '../../evidence/attributes-of-series.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { type Metric, metricsFor, SERIES_COUNT } from '../../evidence/metric-names.ts';
import { readRecording } from '../../evidence/recording/read-recording.ts';
import { TARGET_LABELS } from '../../evidence/recording/source.ts';
import type { WatchClock } from '../../base/clock.ts';
import { historyProblem } from '../../live/history-problem.ts';
import type { Watch } from '../watch-service.ts';
import type { Description } from '../../evidence/attribute-runs.ts';
import type { Timeline } from '../../evidence/recording/timeline.ts';
import { readFleetHistory, type FleetHistoryOptions } from '../../live/read-fleet-history.ts';
import type { MetricsHistory } from '../../live/ports.ts';
import { yieldToEventLoop } from '../../base/bounded-work.ts';
import { HistoryFailure } from '../../live/past-profiles.ts';
import type { MissingRight } from '../state/cluster-states.ts';
import { listOf, parseJsonBytes, recordOf, textOf } from '../../base/json.ts';
import { PROCESS_START, targetsQuery } from '../../live/fleet-queries.ts';

/** The query looks back a day. */
const ASK_SECONDS = 3600;

const KNOWN_LIMITS = { deadlineSeconds: 60, maxBytes: 64 * 1024 * 1024 };

export interface PrometheusFeedOptions {
  /** Label matchers for every query, such as `job="kubelet"`; '' for none. */
  readonly selector: string;
  readonly intervalSeconds: number;
  /** How long an hour of the detector lasts. */
  readonly hourSeconds: number;
  /** Called after each query about the past. */
  readonly progress: (done: number, all: number) => void;
}

/** What the detector reads, except the series count, which watch computes itself. */
const METRICS: readonly Metric[] = metricsFor('detection').filter(({ name }) => name !== SERIES_COUNT);
/** In the detector's time: how far back to start, and from which delay on samples are the past. */
const BACKFILL_SECONDS = 14 * 86_400;
const BACKFILL_FROM_SECONDS = 12 * 3600;
/** The detector remembers its verdicts, so it is evaluated on the way, as if it had run all along. */
const LEAD_IN_SECONDS = 54 * 3600;
const EVALUATE_SECONDS = 6 * 3600;
/** A shorter delay is made up for in these steps. */
const COARSE_STEP_SECONDS = 600;
/** Samples reach a Prometheus late, and its readers even later. */
const DELAY_SECONDS = 30;
const LIMITS = { deadlineSeconds: 60, maxBytes: 256 * 1024 * 1024 };

export async function followPrometheus(
  watch: Pick<Watch, 'addSample' | 'describe' | 'evaluate' | 'setMissingRight' | 'setBackfilling' | 'settle'>,
  history: MetricsHistory,
  clock: WatchClock,
  options: PrometheusFeedOptions,
  signal: AbortSignal,
): Promise<void> {
  const { intervalSeconds } = options;
  const timeScale = 3600 / options.hourSeconds;
  const coarseStep = Math.max(COARSE_STEP_SECONDS / timeScale, intervalSeconds);
  const known = new KnownProcesses(history, options.selector);
  const backfillFrom = Math.max(BACKFILL_FROM_SECONDS / timeScale, 72 * coarseStep);
  let until = clock.now() - DELAY_SECONDS - BACKFILL_SECONDS / timeScale;
  while (!signal.aborted) {
    const now = clock.now() - DELAY_SECONDS;
    const isBackfill = now - until > backfillFrom;
    const isCoarse = now - until > 10 * intervalSeconds;
    const stepSeconds = isCoarse ? coarseStep : intervalSeconds;
    watch.setBackfilling(isCoarse);
    const problem = isBackfill
      ? await backfill(watch, history, evaluationsOf(until, now, timeScale), {
          selector: options.selector,
          nowSeconds: now,
          sinceSeconds: now - until,
          pace: { timeScale, intervalSeconds },
          signal,
          sleep: (seconds, stop) => clock.sleep(seconds, stop),
          progress: options.progress,
        })
      : await pull(
          watch,
          history,
          { from: until + stepSeconds, to: now, stepSeconds },
          { selector: options.selector, known: await known.at(now, signal) },
          signal,
        );
    if (problem !== undefined) {
      // Whatever broke off when watch is stopped is no problem.
      if (signal.aborted) return;
      watch.setMissingRight('prometheus', problem);
      await clock.sleep(intervalSeconds, signal);
      continue;
    }
    watch.setMissingRight('prometheus', undefined);
    until = now;
    if (isBackfill) continue;
    await watch.settle();
    if (isCoarse) await watch.evaluate(now);
    await clock.sleep(intervalSeconds, signal);
  }
}

function evaluationsOf(from: number, now: number, timeScale: number): number[] {
  const times: number[] = [];
  for (let before = LEAD_IN_SECONDS; before >= 0; before -= EVALUATE_SECONDS) {
    const at = now - before / timeScale;
    if (at > from) times.push(at);
  }
  return times;
}

/** Feature gates that are on in some targets and off in others; the rest separates nothing. */
async function differingGates(
  history: MetricsHistory,
  selector: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const reply = await history.instant(differingGatesQuery(selector), { ...LIMITS, signal });
  return reply.kind === 'answer' && reply.status === 200 ? gateNamesIn(reply.body) : [];
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly stepSeconds: number;
}

/** The problem and its remedy, if there is a problem. */
async function pull(
  watch: Pick<Watch, 'addSample' | 'describe'>,
  history: MetricsHistory,
  span: Span,
  { selector, known }: { readonly selector: string; readonly known: readonly ProcessLabels[] },
  signal: AbortSignal,
): Promise<MissingRight | undefined> {
  if (span.from > span.to) return undefined;
  let problem: MissingRight | undefined;
  const queries = [
    ...METRICS.map(metric => ({ metric: metric.name, query: valueByLabels(metric, selector, TARGET_LABELS) })),
    ...attributeQueries(selector, TARGET_LABELS, await differingGates(history, selector, signal)),
  ];
  const answers = async function* (): AsyncGenerator<PileItem> {
    for (const { metric, query } of queries) {
      const reply = await history.range(
        {
          query,
          fromSeconds: span.from,
          toSeconds: span.to,
          stepSeconds: span.stepSeconds,
        },
        { ...LIMITS, signal },
      );
      const why = historyProblem(history, reply);
      if (why !== undefined || reply.kind !== 'answer') {
        problem = {
          why: why?.isRefused === true ? 'forbidden' : 'failing',
          what: why?.sentence ?? 'Prometheus: no answer',
          command: why?.nextStep ?? 'check its address',
        };
        return;
      }
      yield {
        kind: 'member',
        path: `${metric}.json`,
        bytes: reply.body,
        mtimeSeconds: undefined,
        damage: undefined,
      };
    }
  };
  const recording = await readRecording(answers(), { known });
  if (problem !== undefined) return problem;
  for (const { name, timeline } of recording.targets) {
    for (const { atSeconds, values } of timeline.until(span.to)) watch.addSample(name, atSeconds, values);
    for (const { atSeconds, attributes } of timeline.descriptions) watch.describe(name, attributes, atSeconds);
    await yieldToEventLoop();
  }
  return undefined;
}

/**
 * The past of a fleet from a Prometheus, part by part, as if watch had run all along.
 *
 *     part 1   ----------------------------|==|==|==|  samples up to the first evaluation are given at once, the later
 *     part 2   ----------------------------|==|==|==|  ones when every part is there: the fleet is judged together
 */
type BackfillWatch = Pick<Watch, 'addSample' | 'describe' | 'evaluate' | 'settle'>;

interface Held {
  readonly name: string;
  readonly timeline: Timeline;
  readonly descriptions: readonly Description[];
}

/** `evaluations`: when to judge, in time order; the last one is the end. Returns the problem, if there is one. */
async function backfill(
  watch: BackfillWatch,
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
      // The next part is read when the store and the detector are done with this one.
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
function give(watch: BackfillWatch, { name, timeline, descriptions }: Held, until: number): Held {
  for (const { atSeconds, values } of timeline.until(until)) watch.addSample(name, atSeconds, values);
  if (timeline.fromSeconds > until) return { name, timeline, descriptions };
  const due = descriptions.filter(({ atSeconds }) => atSeconds <= until);
  for (const { atSeconds, attributes } of due) watch.describe(name, attributes, atSeconds);
  return { name, timeline, descriptions: descriptions.slice(due.length) };
}

/**
 * The processes that a Prometheus has, also those that it has no new sample of. Names of targets tell them apart, and
 * must not change with who answers at the moment:
 *
 *     both answer              eu/worker-1, us/worker-1
 *     that of eu is down       us/worker-1, not worker-1
 */
type ProcessLabels = Readonly<Record<string, string>>;

class KnownProcesses {
  readonly #history: MetricsHistory;
  readonly #selector: string;
  /** What was seen once is remembered as long as the watch runs. */
  readonly #known = new Map<string, ProcessLabels>();
  #askedAt = -Infinity;

  constructor(history: MetricsHistory, selector: string) {
    this.#history = history;
    this.#selector = selector;
  }

  async at(now: number, signal: AbortSignal): Promise<readonly ProcessLabels[]> {
    if (now - this.#askedAt >= ASK_SECONDS) await this.#ask(now, signal);
    return [...this.#known.values()];
  }

  async #ask(now: number, signal: AbortSignal): Promise<void> {
    const query = targetsQuery(new Set([PROCESS_START]), this.#selector);
    const reply = await this.#history.instant(query, { ...KNOWN_LIMITS, signal });
    // The queries for samples say what is wrong with it.
    if (reply.kind !== 'answer' || reply.status !== 200) return;
    this.#askedAt = now;
    const { data } = recordOf(parseJsonBytes(reply.body, KNOWN_LIMITS.maxBytes));
    for (const one of listOf(recordOf(data)['result'])) {
      const metric = recordOf(recordOf(one)['metric']);
      const labels = Object.fromEntries(TARGET_LABELS.map(label => [label, textOf(metric[label])]));
      this.#known.set(JSON.stringify(labels), labels);
    }
  }
}
