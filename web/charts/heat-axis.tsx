/** The time axis above the heat map. */
import type { TimeBins } from '../../src/watch/watch-model.ts';
import { utcText } from '../text/time-text.ts';
import { axisTicks } from './axis-ticks.ts';

const LABEL_WIDTH = 64;

export function HeatAxis({ bins, width }: { readonly bins: TimeBins; readonly width: number }) {
  if (width <= 0) return null;
  const span = bins.stepSeconds * bins.count;
  const xOf = (at: number): number => ((at - bins.from) / span) * width;
  const ticks = axisTicks(bins.from, bins.from + span, Math.max(1, Math.floor(width / LABEL_WIDTH)));
  return (
    <div class="heat-axis" aria-hidden="true">
      {ticks
        .filter(({ at }) => xOf(at) < width - LABEL_WIDTH / 2)
        .map(({ at, text }) => (
          <span key={at} class="mono" style={{ left: `${xOf(at)}px` }} title={utcText(at)}>
            {text}
          </span>
        ))}
    </div>
  );
}
