/** What a sampled allocation stands for: each size has a known chance, 1 - e^(-size/rate), to be sampled. */
import { truncateToInt64 } from '../../../base/int64.ts';
import { goExp } from './go-exp.ts';
import { narrow, type Int } from './go-integers.ts';

export function scaleHeapSample(count: Int, size: Int, rate: Int): readonly [count: Int, size: Int] {
  if (count === 0 || size === 0) return [0, 0];
  // At rate 1 every allocation is in the profile; below, the rate is unknown.
  if (rate <= 1) return [count, size];
  const average = Number(size) / Number(count);
  const scale = 1 / (1 - goExp(-average / Number(rate)));
  return [toInt64(Number(count) * scale), toInt64(Number(size) * scale)];
}

function toInt64(value: number): Int {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
    const truncated = Math.trunc(value);
    return truncated === 0 ? 0 : truncated;
  }
  return narrow(truncateToInt64(value));
}
