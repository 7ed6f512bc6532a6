/** A certainty that was said, beside the truth. */
import type { Verdict } from '../../src/judge/verdict.ts';

export interface Claim {
  /** `recordings`, `dumps`, `histories`: what it was said about. */
  readonly source: string;
  readonly what: string;
  readonly verdict: Verdict;
  /** That it leaks, 0 to 1. */
  readonly probability: number;
  readonly leaks: boolean;
}

/** Lower ends of the rows, in per cent. */
const ROWS = [99, 90, 50, 10, 1, 0] as const;

export function reliabilityTable(claims: readonly Claim[]): string {
  const rows = ROWS.map((low, i) => {
    const high = i === 0 ? 100 : (ROWS[i - 1] ?? 100);
    const said = claims.filter(({ probability }) => probability * 100 >= low && (i === 0 || probability * 100 < high));
    if (said.length === 0) return undefined;
    const mean = said.reduce((sum, { probability }) => sum + probability, 0) / said.length;
    const leaking = said.filter(({ leaks }) => leaks).length;
    return [`${low} to ${high} %`, said.length, percent(mean), percent(leaking / said.length)].join(' | ');
  });
  return ['said to leak | claims | mean of them | really leak', '--- | --: | --: | --:', ...rows]
    .filter(row => row !== undefined)
    .join('\n');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
