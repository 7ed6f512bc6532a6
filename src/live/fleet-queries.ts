/**
 * The queries for the history of a fleet: one value an hour, aggregated by Prometheus, and the last hours finer.
 *
 *     hourly   at each full hour: the value of the hour before it, which is one hour of the detector
 *     fine     every five minutes of the last hours, for the fast scale
 *
 *     |day ....... hourly of what is asked for finely ....... |fine .......... now
 *     |day ....... hourly of everything else ........................... |hour now
 *
 * In an accelerated cluster all of them are shorter: an hour is one of the detector.
 */
import { RESOURCE_RULES } from '../evidence/resource-rules.ts';
import {
  seriesOf,
  byTarget,
  FLEET_METRICS,
  hourlyQuery,
  hourlyRecord,
  recordedQuery,
} from '../evidence/recording/hourly-query.ts';
import { attributeQueries } from '../evidence/attributes-of-series.ts';
import { TARGET_LABELS } from '../evidence/recording/source.ts';
import type { RangeRequest } from './ports.ts';

export interface FleetQuery {
  readonly metric: string;
  /** `matchers` select a part of the fleet. */
  readonly text: (matchers: string) => string;
  readonly span: Span;
}

export type Span = Pick<RangeRequest, 'fromSeconds' | 'toSeconds' | 'stepSeconds'>;

/** How time passes in the fleet. */
export interface FleetPace {
  /** Every hour of the detector lasts 1/timeScale hours. */
  readonly timeScale: number;
  /** Targets are scraped about this often: a shorter step would repeat samples. */
  readonly intervalSeconds: number;
}

const HOUR = 3600;
const HOURS_A_DAY = 24;
const FINE_HOURS = 8;
const FINE_STEP_SECONDS = 300;
/** What every process has. */
export const PROCESS_START = 'process_start_time_seconds';

/** What the fast scale needs. */
const FINE: ReadonlySet<string> = new Set([
  'go_goroutines',
  'go_gc_heap_live_bytes',
  'kubelet_running_pods',
  PROCESS_START,
  'kubelet_started_pods_total',
]);

/** Which of the metrics, recorded or not, the Prometheus had in the last hour. */
export function presentQuery(selector: string): string {
  const recorded = FLEET_METRICS.map(metric => ({ ...metric, name: hourlyRecord(metric.name), aliases: [] }));
  return `group by (__name__) (last_over_time(${seriesOf([...FLEET_METRICS, ...recorded], selector)}[1h]))`;
}

/** The targets of the last day: one that is not scraped at the moment may be the one in trouble. */
export function targetsQuery(present: ReadonlySet<string>, selector: string): string {
  const anchor = present.has(PROCESS_START) ? PROCESS_START : [...present][0];
  return `group by (${TARGET_LABELS.join(', ')}) (last_over_time(${anchor ?? ''}{${selector}}[1d]))`;
}

/** Of metrics that stand for each other, the best two that are there: old and new releases may be mixed. */
export function fleetQueries(
  present: ReadonlySet<string>,
  gates: readonly string[],
  nowSeconds: number,
  sinceSeconds: number,
  pace: FleetPace,
): readonly FleetQuery[] {
  const spare = new Set(
    RESOURCE_RULES.flatMap(({ sources }) =>
      sources
        .map(({ metric }) => metric)
        .filter(name => present.has(name))
        .slice(2),
    ),
  );
  // Resident memory counts by itself, too.
  spare.delete('process_resident_memory_bytes');
  const asked = FLEET_METRICS.filter(
    ({ name, aliases }) => !spare.has(name) && [name, ...aliases].some(one => present.has(one)),
  );
  const { hourly, beforeFine, fine, now } = spansOf(nowSeconds, sinceSeconds, pace);
  const over =
    pace.timeScale === 1 ? '1h' : `${Math.round(1000 * Math.max(HOUR / pace.timeScale, 2 * pace.intervalSeconds))}ms`;
  const isRecorded = (name: string): boolean => pace.timeScale === 1 && present.has(hourlyRecord(name));
  return [
    ...asked.map(metric => ({
      metric: metric.name,
      text: (matchers: string) =>
        isRecorded(metric.name) ? recordedQuery(metric, matchers) : hourlyQuery(metric, matchers, over),
      // A counter without the start of its process beside it may be taken for that of another life.
      span: FINE.has(metric.name) && metric.name !== PROCESS_START ? beforeFine : hourly,
    })),
    ...[hourly, now].flatMap(span =>
      attributeQueries('', TARGET_LABELS, gates, over).map(({ metric }, i) => ({
        metric,
        text: (matchers: string) => attributeQueries(matchers, TARGET_LABELS, gates, over)[i]?.query ?? '',
        span,
      })),
    ),
    ...asked
      .filter(({ name }) => FINE.has(name))
      .map(metric => ({
        metric: metric.name,
        text: (matchers: string) => byTarget(metric, seriesOf([metric], matchers)),
        span: fine,
      })),
  ];
}

/** At full hours from the beginning of a day on, so that a cache in front of the database can serve it again. */
function spansOf(
  nowSeconds: number,
  sinceSeconds: number,
  { timeScale, intervalSeconds }: FleetPace,
): { readonly [name in 'hourly' | 'beforeFine' | 'fine' | 'now']: Span } {
  const hour = Math.max(HOUR / timeScale, intervalSeconds);
  const fineStep = Math.max(FINE_STEP_SECONDS / timeScale, intervalSeconds);
  const day = HOURS_A_DAY * hour;
  const fromSeconds = Math.floor((nowSeconds - sinceSeconds) / day) * day + hour;
  const lastHour = Math.floor(nowSeconds / hour) * hour;
  const fineFrom = (Math.ceil(nowSeconds / hour) - FINE_HOURS) * hour;
  return {
    hourly: { fromSeconds, toSeconds: lastHour, stepSeconds: hour },
    beforeFine: { fromSeconds, toSeconds: fineFrom, stepSeconds: hour },
    fine: { fromSeconds: fineFrom + fineStep, toSeconds: nowSeconds, stepSeconds: fineStep },
    // What changed since the last full hour.
    now: { fromSeconds: nowSeconds, toSeconds: nowSeconds, stepSeconds: hour },
  };
}

/** `instance=~"a|b"`, escaped for RE2 within PromQL. */
export function instanceMatcher(instances: readonly string[]): string {
  const escaped = instances.map(one => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[\\"]/g, '\\$&'));
  return `instance=~"${escaped.join('|')}"`;
}
