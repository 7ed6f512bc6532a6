/** Errors over a whole fleet: how wide chance is there, and how high the bar must be for few false discoveries. */
import { normalQuantileOfTail, normalTail } from '../../trend/student-t.ts';

const LEAST_TARGETS = 20;

/** Leaks only push deviates up, so the lower half shows how wide chance really is; never below 1. */
export function nullScale(deviates: readonly number[]): number {
  let sum = 0;
  let count = 0;
  for (const z of deviates) {
    if (!(z < 0)) continue;
    // One odd target says nothing of the others.
    sum += Math.min(z * z, 25);
    count++;
  }
  if (count < LEAST_TARGETS) return 1;
  return Math.min(3, Math.max(1, Math.sqrt(sum / count)));
}

/** The bar of Benjamini and Hochberg's procedure, as a deviate; Infinity when nothing passes it. */
export function discoveryThreshold(deviates: readonly number[], falseDiscovery: number): number {
  const sorted = deviates.filter(z => !Number.isNaN(z)).sort((a, b) => b - a);
  for (let rank = sorted.length; rank > 0; rank--) {
    const tail = (falseDiscovery * rank) / sorted.length;
    if (normalTail(sorted[rank - 1]) <= tail) return normalQuantileOfTail(tail);
  }
  return Infinity;
}
