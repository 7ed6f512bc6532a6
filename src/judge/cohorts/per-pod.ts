/** The rate of a cohort per pod, where the number of pods explains the differences between its targets. */
import type { RateInterval } from './cohort-model.ts';
import { meanOf } from './contrast.ts';
import type { PodBoard } from './growth-board.ts';
import type { JudgedCohort } from './judge-cohort.ts';
import { studentQuantile } from './chance.ts';

const LEAST_TARGETS = 5;
/** Numbers of pods that are nearly equal explain nothing. */
const LEAST_POD_SPREAD = 0.15;
/** The spread that must be left after dividing by pods, as a share of that before. */
const MOST_LEFT = 0.75;

export function perPodRate(judged: JudgedCohort, pods: PodBoard, perRealHour: number): RateInterval | undefined {
  const { rows, board, window, contrast } = judged;
  if (contrast === undefined || rows.length < LEAST_TARGETS) return undefined;
  const counts = rows.map(row => pods.now[row]);
  if (counts.some(count => !(count >= 1))) return undefined;
  const rates = rows.map(row => board.slope[window][row] - contrast.controlMean);
  const perPod = rates.map((rate, i) => rate / counts[i]);
  if (relativeSpread(counts) < LEAST_POD_SPREAD) return undefined;
  if (relativeSpread(perPod) > MOST_LEFT * relativeSpread(rates)) return undefined;
  const mean = meanOf(perPod);
  const reach = (studentQuantile(0.05, rows.length - 1) * relativeSpread(perPod) * mean) / Math.sqrt(rows.length);
  return [(mean - reach) * perRealHour, mean * perRealHour, (mean + reach) * perRealHour];
}

function relativeSpread(values: readonly number[]): number {
  const mean = meanOf(values);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance) / Math.abs(mean);
}
