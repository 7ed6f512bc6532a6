/** A row of the heat map, one letter per bin, as runs of equal letters and as a sentence for screen readers. */
import { formatAge } from '../../src/base/say.ts';
import type { TimeBins } from '../../src/watch/watch-model.ts';

export interface HeatRun {
  readonly letter: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

const VERDICT_NAMES: Readonly<Record<string, string>> = {
  l: 'leak',
  w: 'watch',
  h: 'healthy',
  u: 'unknown',
  '-': 'no data',
};

export function heatRuns(heat: string): HeatRun[] {
  const runs: HeatRun[] = [];
  for (let from = 0; from < heat.length;) {
    const letter = heat.charAt(from);
    let to = from + 1;
    while (heat.charAt(to) === letter) to++;
    runs.push({ letter, from, to });
    from = to;
  }
  return runs;
}

const MAX_RUNS = 5;

/** `healthy 4d, watch 12h, leak 1d4h`; only the last runs if there are many. */
export function heatSentence(heat: string, { stepSeconds }: TimeBins): string {
  const runs = heatRuns(heat);
  const shown = runs.slice(-MAX_RUNS);
  const parts = shown.map(
    ({ letter, from, to }) => `${VERDICT_NAMES[letter] ?? 'unknown'} ${formatAge((to - from) * stepSeconds)}`,
  );
  return `${runs.length > shown.length ? 'other verdicts earlier, then ' : ''}${parts.join(', ')}`;
}
