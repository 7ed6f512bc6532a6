/** A row of the heat map, one letter per bin, as runs and as a sentence: what a screen reader gets instead of colours. */
import { formatAge } from '../../src/base/quantities.ts';
import type { TimeBins } from '../../src/model/watch.ts';

export interface HeatRun {
  readonly letter: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export const HEAT_WORDS: Readonly<Record<string, string>> = {
  l: 'leak',
  w: 'watch',
  h: 'healthy',
  u: 'unknown',
  '-': 'no data',
};

export function heatRuns(heat: string): HeatRun[] {
  const runs: HeatRun[] = [];
  for (let from = 0; from < heat.length;) {
    let to = from + 1;
    while (heat[to] === heat[from]) to++;
    runs.push({ letter: heat[from], from, to });
    from = to;
  }
  return runs;
}

const MOST_RUNS = 5;

/** `healthy 4d, watch 12h, leak 1d4h`; only the last runs of a long story. */
export function heatSentence(heat: string, { stepSeconds }: TimeBins): string {
  const runs = heatRuns(heat);
  const shown = runs.slice(-MOST_RUNS);
  const words = shown.map(
    ({ letter, from, to }) => `${HEAT_WORDS[letter] ?? 'unknown'} ${formatAge((to - from) * stepSeconds)}`,
  );
  return `${runs.length > shown.length ? 'before that other verdicts, then ' : ''}${words.join(', ')}`;
}
