/**
 * Whether growth that stays has a bound, and whether anything will use what stays: the age of the process, the course
 * since its start, what was asked of it meanwhile, and what is known of the code.
 *
 *     now   120 an hour     since the start, 9h ago, on average   118 an hour     no bound in sight
 *     now    20 an hour                                           118 an hour     it slows down: a fill
 */
import { formatAge, formatPercent } from '../../base/say.ts';
import type { MetricSeries } from '../../evidence/snapshots/snapshot.ts';
import { valueAt } from '../../evidence/snapshots/process-series.ts';
import type { Lifetime } from '../../knowledge/records.ts';
import type { Evidence } from '../ledger/ledger.ts';
import { ageOdds, WEIGHTS } from '../ledger/weights.ts';
import { NEVER_MINUTES } from './ages-evidence.ts';

export interface Grown {
  /** What there is now, and how much more than at first; undefined for what was seen once. */
  readonly level: number;
  readonly delta: number | undefined;
  /** How fast it grows now; undefined if that is not known. */
  readonly perHour: number | undefined;
  readonly ageSeconds: number | undefined;
  /** It rose in two intervals or more, or arrives at a steady rate. */
  readonly isSteady: boolean;
  /** Its own course shows that it becomes slower. */
  readonly isSlowing: boolean;
  /** For how long they have arrived at one rate, by the ages of those that are there; otherwise 0. */
  readonly steadySeconds: number;
  readonly lifetime: Lifetime | undefined;
  /** Goroutines: for how long those that were there have waited without being woken; otherwise 0. */
  readonly idleMinutes: number;
  /** What its names say that it is: `a cache, by its name`. */
  readonly store: string | null;
  /** Between these times the demand is compared. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export function boundEvidence(grown: Grown, series: ReadonlyMap<string, MetricSeries> | undefined): Evidence[] {
  return [
    ...ageEvidence(grown),
    ...courseEvidence(grown),
    ...lifetimeEvidence(grown),
    ...demandEvidence(grown, series),
  ];
}

function ageEvidence({ ageSeconds, steadySeconds }: Grown): Evidence[] {
  const seconds = ageSeconds ?? (steadySeconds >= OLD_SECONDS ? steadySeconds : undefined);
  if (seconds === undefined) return [];
  const logOdds = ageOdds(seconds);
  const why = logOdds === 0 ? ': in its first hour, nearly everything that grows fills' : '';
  const sentence = `the process is ${ageSeconds === undefined ? 'at least ' : ''}${formatAge(seconds)} old${why}`;
  return [{ kind: 'process-age', claims: ['unbounded'], logOdds, shows: 'process age', sentence }];
}

/** From here on, growth at the average pace since the start says that there is no bound. */
const OLD_SECONDS = 2 * 3600;
/** Now compared with the average: about the same, or clearly slower. */
const SAME_PACE = [0.6, 1.7] as const;
const SLOWER = 0.4;

function courseEvidence({ level, delta, perHour, ageSeconds, isSlowing, steadySeconds }: Grown): Evidence[] {
  const about = { kind: 'process-age', claims: ['unbounded'], shows: 'course' } as const;
  if (steadySeconds >= OLD_SECONDS) {
    const sentence = `they have come at one rate for ${formatAge(steadySeconds)}, by their ages: what fills slows down`;
    return [{ ...about, logOdds: WEIGHTS.linearSinceStart, sentence }];
  }
  if (ageSeconds !== undefined && ageSeconds > 0 && perHour !== undefined && (delta ?? 1) > 0) {
    const average = level / (ageSeconds / 3600);
    const pace = perHour / average;
    if (ageSeconds >= OLD_SECONDS && pace >= SAME_PACE[0] && pace <= SAME_PACE[1]) {
      const sentence = `it grows as fast as on average in the ${formatAge(ageSeconds)} since the process began`;
      // What had come and gone again would not have added up to what there is.
      return [{ ...about, claims: ['stays', 'unbounded'], logOdds: WEIGHTS.linearSinceStart, sentence }];
    }
    if (pace < SLOWER) {
      const sentence = `it grows at ${formatPercent(Math.max(1, Math.round(100 * pace)))} of its average pace since the process began: it slows down`;
      return [{ ...about, logOdds: WEIGHTS.slowing, sentence }];
    }
  }
  if (!isSlowing) return [];
  return [{ ...about, logOdds: WEIGHTS.slowing, sentence: 'they become fewer, as in a pool that fills' }];
}

function lifetimeEvidence({ lifetime, store, isSteady, idleMinutes }: Grown): Evidence[] {
  const about = { kind: 'lifetime', shows: 'lifetime' } as const;
  if (lifetime !== undefined && lifetime.endsBy !== '') {
    const sentence = `each is ${lifetime.of}: only ${lifetime.endsBy} ends it`;
    return [
      { ...about, claims: ['unwanted'], logOdds: isSteady ? WEIGHTS.endsByCall : WEIGHTS.mayEndByCall, sentence },
    ];
  }
  if (lifetime?.isReused === true && isSteady && idleMinutes >= NEVER_MINUTES) {
    const idle = formatAge(idleMinutes * 60);
    const sentence = `none was used again in ${idle} while others came, but ${lifetime.of} is there to be used again`;
    return [{ ...about, claims: ['unwanted'], logOdds: WEIGHTS.neverWoken, sentence }];
  }
  if (lifetime !== undefined) {
    const sentence = `this is ${lifetime.of}, which fills up to ${lifetime.fillsTo}`;
    return [{ ...about, claims: ['unbounded'], logOdds: WEIGHTS.fills, sentence }];
  }
  if (store === null) return [];
  return [{ ...about, claims: ['unbounded'], logOdds: WEIGHTS.fills, sentence: `this is ${store}: it may fill` }];
}

/** Gauges of what a process was asked to hold or to do. */
const ASKED =
  /(?:^|_)(?:series|objects|items|entries|keys|connections|conns|sessions|clients|streams|watchers|watches|subscribers|subscriptions|queue|depth|pods|containers|inflight|active|open|members|targets|chunks|samples)(?:_|$)/;
const NOT_ASKED = /^(?:go|process|promhttp|oakum)_|_(?:total|count|sum|bucket|created|seconds|bytes|timestamp)$/;

/** A gauge that rose by about the same factor in the same time. */
function demandEvidence(
  { level, delta, from, to }: Grown,
  series: ReadonlyMap<string, MetricSeries> | undefined,
): Evidence[] {
  if (series === undefined || delta === undefined || delta <= 0 || delta >= level) return [];
  const factor = level / (level - delta);
  if (factor < 1.1) return [];
  for (const one of series.values()) {
    if (!ASKED.test(one.name) || NOT_ASKED.test(one.name)) continue;
    const [before, now] = [valueAt(one, from), valueAt(one, to)];
    if (before === undefined || now === undefined || before < 10 || now <= before) continue;
    const rise = Math.log(now / before) / Math.log(factor);
    if (rise < 0.5 || rise > 2) continue;
    const sentence = `${one.name} rose alike, from ${before} to ${now}: it may hold what it was asked to`;
    return [{ kind: 'demand', claims: ['unbounded'], logOdds: WEIGHTS.demand, shows: 'demand', sentence }];
  }
  return [];
}
