/**
 * The growth of one resource over a fleet: one row per target, one column per window.
 *
 *                 4 h    5 h   ...   336 h
 *     node-1      0.1    0.2          0.0        units per hour, after what pods and churn explain
 *     node-2      NaN    NaN          NaN        NaN: not observed for long enough, or restarted too often
 */
import { removeEffects } from '../detect/slow/confounders.ts';
import { layHours, newHours } from '../detect/slow/hours.ts';
import type { EvaluationTime } from '../detect/slow/decide.ts';
import type { ResourceRule } from '../../evidence/resource-rules.ts';
import type { ResourceState, TargetState } from '../detect/target-state.ts';
import { HourSums } from './slopes.ts';
import { MIN_FILLED, WINDOW_HOURS } from './cohort-tuning.ts';
import { median } from './contrast.ts';

export type Fleet = readonly TargetState[];

export interface GrowthBoard {
  readonly rule: ResourceRule;
  /** By window, then by target. Per hour of the detector. */
  readonly slope: readonly Float64Array[];
  readonly early: readonly Float64Array[];
  readonly late: readonly Float64Array[];
  readonly level: Float64Array;
  /** What one more pod adds, and its standard error; NaN without pods. */
  readonly perPod: Float64Array;
  readonly perPodError: Float64Array;
}

/** Pods by window and target, the same for all resources. */
export interface PodBoard {
  readonly now: Float64Array;
  readonly slope: readonly Float64Array[];
}

const hours = newHours();
const sums = new HourSums();

const columns = (count: number): Float64Array[] => WINDOW_HOURS.map(() => new Float64Array(count).fill(NaN));

export function growthBoard(rule: ResourceRule, fleet: Fleet, moment: EvaluationTime): GrowthBoard {
  const count = fleet.length;
  const board = {
    rule,
    slope: columns(count),
    early: columns(count),
    late: columns(count),
    level: new Float64Array(count).fill(NaN),
    perPod: new Float64Array(count).fill(NaN),
    perPodError: new Float64Array(count).fill(NaN),
  };
  fleet.forEach((target, row) => {
    const resource = target.resources.find(one => one.rule === rule);
    if (resource === undefined) return;
    layGrowth(target, resource, moment);
    board.level[row] = sums.level();
    if (target.pods !== undefined) {
      board.perPod[row] = resource.effects.pod;
      board.perPodError[row] = Math.sqrt(resource.effects.podVariance);
    }
    WINDOW_HOURS.forEach((length, window) => {
      const growth = sums.over(moment.endBin - length, moment.endBin);
      if (growth.hours < MIN_FILLED * length) return;
      board.slope[window][row] = growth.slope;
      board.early[window][row] = growth.early;
      board.late[window][row] = growth.late;
    });
  });
  return board;
}

/** The slope of one target over any stretch; NaN if too little of it was seen. */
export function slopeOver(
  target: TargetState,
  rule: ResourceRule,
  moment: EvaluationTime,
  fromBin: number,
  toBin: number,
): number {
  const resource = target.resources.find(one => one.rule === rule);
  if (resource === undefined) return NaN;
  layGrowth(target, resource, moment);
  const growth = sums.over(fromBin, toBin);
  return growth.hours < MIN_FILLED * (toBin - fromBin) ? NaN : growth.slope;
}

/** The hours of one target; overwritten by the next call. Undefined if it lacks the resource. */
export function layTarget(target: TargetState, rule: ResourceRule, moment: EvaluationTime): HourSums | undefined {
  const resource = target.resources.find(one => one.rule === rule);
  if (resource === undefined) return undefined;
  layGrowth(target, resource, moment);
  return sums;
}

function layGrowth(target: TargetState, resource: ResourceState, { endBin, binSeconds }: EvaluationTime): void {
  layHours(hours, target, resource.column, endBin, 'all');
  removeEffects(hours, resource.effects);
  sums.lay(hours, firstLifeBin(target, binSeconds));
}

/** Only the first life in the record can have begun before it. */
function firstLifeBin(target: TargetState, binSeconds: number): number {
  if (target.epochBins.length > 0 || target.lifeBeganSeconds === -Infinity) return -Infinity;
  return Math.floor(target.lifeBeganSeconds / binSeconds);
}

export function podBoard(fleet: Fleet, { endBin }: EvaluationTime): PodBoard {
  const board = { now: new Float64Array(fleet.length).fill(NaN), slope: columns(fleet.length) };
  fleet.forEach((target, row) => {
    if (target.pods === undefined) return;
    layHours(hours, target, target.pods, endBin, 'all');
    hours.values.set(hours.pods.subarray(0, hours.count));
    // Pods belong to the node, not to a life of the kubelet.
    hours.epoch.fill(0, 0, hours.count);
    sums.lay(hours, -Infinity);
    board.now[row] = sums.level();
    WINDOW_HOURS.forEach((length, window) => {
      const { slope, hours: seen } = sums.over(endBin - length, endBin);
      if (seen >= MIN_FILLED * length) board.slope[window][row] = slope;
    });
  });
  return board;
}

export type FleetGrowth = readonly WindowGrowth[];

export function fleetGrowth({ slope }: GrowthBoard): FleetGrowth {
  return slope.map(slopes => {
    const known = Array.from(slopes.filter(value => !Number.isNaN(value)));
    if (known.length === 0) return { slopes, middle: NaN, deviation: NaN };
    const middle = median(known);
    const deviation = 1.4826 * median(known.map(value => Math.abs(value - middle)));
    return { slopes, middle, deviation: Math.max(deviation, 1e-9 * Math.abs(middle), Number.MIN_VALUE) };
  });
}

/** Standard errors between the median of the rows and that of the fleet. */
export function deviateOf({ slopes, middle, deviation }: WindowGrowth, rows: readonly number[]): number {
  if (rows.length === 0) return -Infinity;
  return ((median(rows.map(row => slopes[row])) - middle) / deviation) * Math.sqrt(rows.length);
}

/** Where the slopes of a whole fleet lie, per window: tells in one pass over its members if a cohort is worth a look. */
interface WindowGrowth {
  readonly slopes: Float64Array;
  readonly middle: number;
  readonly deviation: number;
}
