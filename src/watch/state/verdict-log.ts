/** The verdict changes of one target over time; the heat map draws them. */
import { type Verdict, worseOf } from '../../judge/verdict.ts';

const MAX_CHANGES = 200;

const LETTERS: Readonly<Record<Verdict, string>> = { leak: 'l', watch: 'w', unknown: 'u', healthy: 'h' };

export class VerdictLog {
  readonly #changes: { readonly at: number; readonly verdict: Verdict }[] = [];

  add(at: number, verdict: Verdict): void {
    if (this.#changes.at(-1)?.verdict === verdict) return;
    this.#changes.push({ at, verdict });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /** One letter per bin up to now, for the worst verdict in it; '-' when unknown. */
  heat(from: number, stepSeconds: number, count: number, now: number): string {
    let letters = '';
    const changes = this.#changes.values();
    let next = changes.next();
    let current: Verdict | undefined;
    for (let bin = 0; bin < count; bin++) {
      const start = from + bin * stepSeconds;
      if (start > now) {
        letters += '-';
        continue;
      }
      let inBin: Verdict | undefined;
      for (; next.done !== true && next.value.at < start + stepSeconds; next = changes.next()) {
        const { at, verdict } = next.value;
        if (at > start) inBin = worseSeen(inBin, current);
        current = verdict;
      }
      inBin = worseSeen(inBin, current);
      letters += inBin === undefined ? '-' : LETTERS[inBin];
    }
    return letters;
  }
}

function worseSeen(a: Verdict | undefined, b: Verdict | undefined): Verdict | undefined {
  return a === undefined || b === undefined ? (a ?? b) : worseOf(a, b);
}
