/**
 * Growth that is explained by more pods.
 *
 * The size per pod is fitted first and subtracted; the remaining trend is growth at equal density. If pods only ever
 * rose, pods and time cannot be separated, and all growth is attributed to the pods: a ramp must not raise an alarm.
 */
import { theilSen } from './theil-sen.ts';

export interface Density {
  readonly fromPods: number;
  readonly toPods: number;
  readonly perPod: number;
  /** The remaining change at equal pods, over the whole time. */
  readonly left: number;
  /** Whether the pods explain it. */
  readonly follows: boolean;
}

/** Fewer changes of density than this explain nothing. */
const MIN_POD_CHANGE = 5;
const MIN_POD_SHARE = 0.2;
/** The share of the change that may remain. */
const MAX_LEFT = 0.33;

/** `pods[i]` belongs to `values[i]`; NaN if unknown. Undefined if the number of pods hardly changed. */
export function densityOf(values: ArrayLike<number>, pods: ArrayLike<number>): Density | undefined {
  const known: number[] = [];
  for (let i = 0; i < values.length; i++) if (Number.isFinite(pods[i]) && Number.isFinite(values[i])) known.push(i);
  if (known.length < 2) return undefined;
  const podCounts = known.map(i => pods[i]);
  const most = Math.max(...podCounts);
  const change = most - Math.min(...podCounts);
  if (change < MIN_POD_CHANGE || change < most * MIN_POD_SHARE) return undefined;

  const byPods = [...known].sort((a, b) => pods[a] - pods[b]);
  const perPod =
    theilSen(
      byPods.map(i => pods[i]),
      byPods.map(i => values[i]),
    )?.slope ?? 0;
  const rest = known.map(i => values[i] - perPod * pods[i]);
  const restTrend = theilSen(known, rest)?.slope ?? 0;
  const left = restTrend * (known[known.length - 1] - known[0]);
  const first = known[0];
  const last = known[known.length - 1];
  const whole =
    (theilSen(
      known,
      known.map(i => values[i]),
    )?.slope ?? 0) *
    (last - first);
  // Two points always fit, so the size must grow in step with the pods, not merely rise with them.
  const inStep = values[first] > 0 && values[last] / values[first] <= (pods[last] / Math.max(pods[first], 1)) * 1.25;
  const follows = perPod > 0 && whole > 0 && left <= MAX_LEFT * whole && (known.length > 2 || inStep);
  return { fromPods: pods[first], toPods: pods[last], perPod, left, follows };
}
