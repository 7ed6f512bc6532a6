/** How a time to a limit is computed, in one line. */
import { amountIn } from '../base/say.ts';
import type { LimitBasis } from '../judge/detect/recorded-detection.ts';
import type { ResourceUnit } from '../evidence/resource.ts';

/** `200 MiB (given) less 157 MiB of resident memory leaves 43 MiB, which grows by 35 MiB/h to 97.4 MiB/h` */
export function limitArithmetic(
  { value, from, of, level, perHour: [low, high] }: LimitBasis,
  unit: ResourceUnit,
): string {
  const text = amountIn(unit);
  const rate = low > 0 ? `${text(low)}/h to ${text(high)}/h` : `at most ${text(high)}/h`;
  return `${text(value)} (${from}) less ${text(level)} of ${of} leaves ${text(value - level)}; it grows ${rate}`;
}
