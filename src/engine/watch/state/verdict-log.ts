/** The verdicts of one target over time, as changes: what the heat map draws. */
import type { Verdict } from '../../../model/analysis.ts';

const MAX_CHANGES = 200;
const WORST_FIRST: readonly Verdict[] = ['leak', 'watch', 'unknown', 'healthy'];
const LETTERS: Readonly<Record<Verdict, string>> = { leak: 'l', watch: 'w', unknown: 'u', healthy: 'h' };

export function isWorse(a: Verdict, b: Verdict): boolean {
  return WORST_FIRST.indexOf(a) < WORST_FIRST.indexOf(b);
}

/** The worst of them; `unknown` only when there is nothing else. */
export function worstOf(verdicts: Iterable<Verdict>): Verdict {
  let worst: Verdict = 'unknown';
  for (const verdict of verdicts) {
    if (worst === 'unknown' || (verdict !== 'unknown' && isWorse(verdict, worst))) worst = verdict;
  }
  return worst;
}

export class VerdictLog {
  readonly #changes: { readonly at: number; readonly verdict: Verdict }[] = [];

  add(at: number, verdict: Verdict): void {
    if (this.#changes.at(-1)?.verdict === verdict) return;
    this.#changes.push({ at, verdict });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /** One letter per bin up to now, for the worst verdict in it; '-' where nothing was known. */
  heat(from: number, stepSeconds: number, count: number, now: number): string {
    let letters = '';
    let next = 0;
    let current: Verdict | undefined;
    for (let bin = 0; bin < count; bin++) {
      const start = from + bin * stepSeconds;
      if (start > now) {
        letters += '-';
        continue;
      }
      let worst: Verdict | undefined;
      while (next < this.#changes.length && this.#changes[next].at < start + stepSeconds) {
        const change = this.#changes[next++];
        if (change.at <= start) {
          current = change.verdict;
          continue;
        }
        worst = worseOf(worst, current);
        current = change.verdict;
      }
      worst = worseOf(worst, current);
      letters += worst === undefined ? '-' : LETTERS[worst];
    }
    return letters;
  }
}

function worseOf(a: Verdict | undefined, b: Verdict | undefined): Verdict | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isWorse(b, a) ? b : a;
}
