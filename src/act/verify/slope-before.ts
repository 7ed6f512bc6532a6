/** How fast a node grew before it was restarted, from samples of that life. */
import { theilSen } from '../../judge/growth/theil-sen.ts';
import type { NodePlan } from '../plan/plan.ts';
import type { VerifySample } from './plan-verification.ts';
import { factsOf } from '../../evidence/resource.ts';
import { type KnownSlope, medianOf } from '../../judge/cycle/after-restart.ts';

/** A process that has just started grows for other reasons. */
const WARM_UP_SECONDS = 3600;
const MIN_SAMPLES = 12;
/** Theil-Sen compares all pairs. */
const MAX_SAMPLES = 600;
const START_SLACK_SECONDS = 2;

/** Undefined if too little is known. A life that was short is taken whole. */
export function slopeBeforeRestart(
  samples: readonly VerifySample[],
  { verification }: NodePlan,
): KnownSlope | undefined {
  const { resource, processStartSeconds, at } = verification.before;
  if (resource === null || processStartSeconds === null) return undefined;
  const until = Date.parse(at) / 1000;
  const life = samples.filter(
    one =>
      one.at <= until &&
      Math.abs((one.values['process_start_time_seconds'] ?? 0) - processStartSeconds) <= START_SLACK_SECONDS,
  );
  const { metrics } = factsOf(resource);
  const metric = metrics.find(name => life.some(({ values }) => values[name] !== undefined));
  if (metric === undefined) return undefined;
  const all = life.filter(({ values }) => values[metric] !== undefined);
  const warm = all.filter(one => one.at >= processStartSeconds + WARM_UP_SECONDS);
  const rows = thinned(warm.length >= MIN_SAMPLES ? warm : all);
  if (rows.length < MIN_SAMPLES) return undefined;
  const fitted = theilSen(
    rows.map(one => one.at / 3600),
    rows.map(({ values }) => values[metric] ?? 0),
  );
  if (fitted === undefined) return undefined;
  const pods = medianOf(rows.flatMap(({ values }) => values['kubelet_running_pods'] ?? []));
  return { perHour: fitted.slope, interval: [fitted.low, fitted.high], pods };
}

function thinned(rows: readonly VerifySample[]): readonly VerifySample[] {
  const every = Math.ceil(rows.length / MAX_SAMPLES);
  return every <= 1 ? rows : rows.filter((_, i) => i % every === 0);
}
