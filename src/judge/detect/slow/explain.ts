/** What a rise is when it is no leak of the process, and what else rises beside a flat resource. */
import type { Explanation } from '../detection.ts';
import type { Ring } from '../bin-column.ts';
import type { JudgedResource, Rise } from './judged-resource.ts';
import { layHours, newHours } from './hours.ts';
import { roughSlopeOf } from './judge.ts';
import { TUNING } from '../options.ts';
import type { TargetState } from '../target-state.ts';

/** Starts within a day that are a storm. */
const STORM_EPOCHS = 5;
/** Share of calls to the container runtime that fail before it counts as hung. */
const HUNG_SHARE = 0.05;
/** What of a change must be explained. */
const MAIN_SHARE = 0.5;

const hours = newHours();

export function explainRise(one: JudgedResource, rise: Rise | undefined, endBin: number): Explanation | undefined {
  const { target, resource } = one;
  if (target.epochBins.filter(bin => endBin - bin <= 24).length >= STORM_EPOCHS) return 'restart storm';
  if (rise !== undefined) {
    if (livesAreShort(one, endBin)) return 'restart storm';
    return peerHangs(target, rise, endBin) ? 'hung peer' : undefined;
  }
  const confounder = confounderOf(one, endBin);
  if (confounder !== undefined) return confounder;
  return resource.rule.resource === 'live heap' ? memoryBeside(one, endBin) : undefined;
}

/**
 * Most of what was judged is younger than a warm-up may last. What rises in each of such lives is a warm-up that the
 * next start cuts off; as one line through all of them it would reach any limit.
 *
 *     /|/|/|/|/|   five hours each: none of these lives has settled
 */
function livesAreShort({ target, resource }: JudgedResource, endBin: number): boolean {
  layHours(hours, target, resource.column, endBin);
  const { count, values, epoch } = hours;
  let judged = 0;
  let settled = 0;
  let began = 0;
  for (let i = 0; i < count; i++) {
    if (epoch[i] !== epoch[began]) began = i;
    if (Number.isNaN(values[i])) continue;
    judged++;
    if (i - began >= TUNING.warmUpHours) settled++;
  }
  return epoch[0] !== epoch[count - 1] && settled < judged / 2;
}

/** The values rise, and without pods and churn they do not. */
function confounderOf(one: JudgedResource, endBin: number): 'density' | 'churn' | undefined {
  const { target, resource, effects, judgement } = one;
  layHours(hours, target, resource.column, endBin);
  if (!hours.hasPods && !hours.hasChurn) return undefined;
  const raw = roughSlopeOf(hours, hours.values);
  const growth = raw * hours.count;
  if (growth < judgement.leastGrowth) return undefined;
  const byPods = effects.pod * roughSlopeOf(hours, hours.pods);
  const byChurn = effects.churn * roughSlopeOf(hours, hours.churn);
  if (byPods + byChurn < MAIN_SHARE * raw) return undefined;
  return byPods >= byChurn ? 'density' : 'churn';
}

/** Pods came along with the rise, and a usual pod holds as much: a ramp does not show what one pod costs. */
export function podsCouldExplain({ target, resource, judgement }: JudgedResource, endBin: number): boolean {
  layHours(hours, target, resource.column, endBin);
  if (!hours.hasPods || judgement.longest === undefined) return false;
  const { perPod, perPodSpread } = resource.rule;
  return judgement.longest.perHour <= (perPod + perPodSpread) * roughSlopeOf(hours, hours.pods);
}

/** Memory that rises although the live heap does not. */
function memoryBeside(one: JudgedResource, endBin: number): Explanation | undefined {
  const { target, resource, judgement } = one;
  const least = 2 * judgement.leastGrowth;
  const resident = changeOf(target.resident, target, endBin);
  const { gauges } = target;
  if (resident > least && !/resident|working_set/.test(resource.metric)) {
    const unreturned =
      changeOf(gauges.heapFree, target, endBin) ||
      changeOf(gauges.heapIdle, target, endBin) - changeOf(gauges.heapReleased, target, endBin);
    const inUse = changeOf(gauges.heapInUse, target, endBin) - changeOf(resource.column, target, endBin);
    const causes: [Explanation, number][] = [
      ['profiler buckets', changeOf(gauges.profilerBuckets, target, endBin)],
      ['not returned', unreturned],
      ['fragmentation', inUse],
    ];
    causes.sort((a, b) => b[1] - a[1]);
    if (causes[0][1] > MAIN_SHARE * resident) return causes[0][0];
  }
  const workload = changeOf(gauges.podsWorkingSet ?? gauges.nodeWorkingSet, target, endBin);
  return workload > 10 * least && workload > 4 * resident ? 'workload' : undefined;
}

/** The change from the first to the last day of the record's last week; 0 when either is missing. */
function changeOf(column: Ring | undefined, target: TargetState, endBin: number): number {
  if (column === undefined) return 0;
  const first = Math.max(target.firstBin, endBin - 168);
  const late = meanBetween(column, endBin - 24, endBin);
  const early = meanBetween(column, first, first + 24);
  return Number.isNaN(late) || Number.isNaN(early) ? 0 : late - early;
}

function meanBetween(column: Ring, from: number, to: number): number {
  let sum = 0;
  let n = 0;
  for (let bin = from; bin < to; bin++) {
    const value = column.at(bin);
    if (Number.isNaN(value)) continue;
    sum += value;
    n++;
  }
  return n === 0 ? NaN : sum / n;
}

/** Calls to the container runtime began to fail when the rise began. */
function peerHangs(target: TargetState, rise: Rise, endBin: number): boolean {
  const errors = target.contextCounters.runtimeErrors;
  const calls = target.contextCounters.runtimeCalls;
  if (errors === undefined || calls === undefined) return false;
  const share = (from: number, to: number): number => meanBetween(errors, from, to) / meanBetween(calls, from, to);
  const onset = endBin - rise.lastHours;
  const since = share(onset, endBin);
  const before = share(Math.max(target.firstBin, onset - 72), onset);
  return since > HUNG_SHARE && !(before > since / 3);
}
