/** How much one more pod, and one more pod start per hour, add to a resource. */
import type { ResourceRule } from '../../../evidence/resource-rules.ts';

/** Two effects with their covariance. */
export interface Effects {
  readonly pod: number;
  readonly churn: number;
  readonly podVariance: number;
  readonly churnVariance: number;
  readonly covariance: number;
}

/** Before anything is learned. */
export function usualEffects({ perPod, perPodSpread }: ResourceRule): Effects {
  return { pod: perPod, churn: 0, podVariance: perPodSpread ** 2, churnVariance: perPodSpread ** 2, covariance: 0 };
}
