/** Who changed when, against growth: the targets with each value over time, and what one of them gained. */
import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { RolloutView } from '../../src/watch/watch-model.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import { axisTicks } from '../charts/axis-ticks.ts';
import { serverNow } from '../state/live.ts';
import { useApi } from '../state/use-api.ts';
import { amountText, signedAmount } from '../text/amount-text.ts';
import { localTimeText } from '../text/time-text.ts';
import { rolloutShapes, WIDTH } from './rollout-shapes.ts';

const AREA_HEIGHT = 44;
const LINE_HEIGHT = 84;
/** As many as the style sheet has. */
const PLAIN_COLOURS = 5;
const TICKS = 6;

interface RolloutStripProps {
  readonly attribute: string;
  readonly hours: number;
  /** What is known about a value; it decides its colour. */
  readonly verdictOf: (value: string) => Verdict | undefined;
}

export function RolloutStrip({ attribute, hours, verdictOf }: RolloutStripProps) {
  const path = `/rollout?by=${encodeURIComponent(attribute)}&hours=${hours}`;
  const { data } = useApi<RolloutView>(
    path,
    () => path,
    event => event.kind === 'fleet',
  );
  if (data === undefined || data.attribute !== attribute || data.values.length === 0 || data.bins.count < 2)
    return null;
  return <Strip view={data} verdictOf={verdictOf} />;
}

function Strip({ view, verdictOf }: Pick<RolloutStripProps, 'verdictOf'> & { readonly view: RolloutView }) {
  const { bins, values, unit, resource } = view;
  const shapes = useMemo(() => rolloutShapes(view, AREA_HEIGHT, LINE_HEIGHT), [view]);
  const [pointed, setPointed] = useState<number>();
  const shown = pointed ?? bins.count - 1;
  const classes = useMemo(() => {
    let plain = 0;
    return values.map(({ value }) => {
      const verdict = verdictOf(value);
      return verdict === 'leak' || verdict === 'watch' ? verdict : `plain-${plain++ % PLAIN_COLOURS}`;
    });
  }, [values, verdictOf]);
  const span = bins.stepSeconds * bins.count;
  const zero = LINE_HEIGHT * (shapes.most / (shapes.most - shapes.least));
  const point = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const bin = Math.floor(((event.clientX - box.left) / box.width) * bins.count);
    setPointed(Math.max(0, Math.min(bins.count - 1, bin)));
  };
  return (
    <figure class="rollout" aria-label={`Rollout of ${visible(view.attribute)} against growth of ${resource}`}>
      <div class="rollout-plot" onPointerMove={point} onPointerLeave={() => setPointed(undefined)}>
        <svg viewBox={`0 0 ${WIDTH} ${AREA_HEIGHT}`} preserveAspectRatio="none" height={AREA_HEIGHT} aria-hidden="true">
          {shapes.areas.map((d, i) => (
            <path key={i} class={`rollout-area rollout-${classes[i]}`} d={d} />
          ))}
        </svg>
        <svg viewBox={`0 0 ${WIDTH} ${LINE_HEIGHT}`} preserveAspectRatio="none" height={LINE_HEIGHT} aria-hidden="true">
          <path class="rollout-zero" d={`M0 ${zero}L${WIDTH} ${zero}`} />
          {shapes.lines.map((d, i) => (
            <path key={i} class={`rollout-line rollout-${classes[i]}`} d={d} />
          ))}
        </svg>
        {pointed !== undefined && (
          <span class="rollout-cursor" style={{ left: `${(100 * (pointed + 0.5)) / bins.count}%` }} />
        )}
        <span class="rollout-scale mono">{signedAmount(unit, shapes.most)}</span>
      </div>
      <div class="rollout-axis" aria-hidden="true">
        {axisTicks(bins.from, bins.from + span, TICKS)
          .filter(({ at }) => (at - bins.from) / span < 0.93)
          .map(({ at, text }) => (
            <span key={at} class="mono" style={{ left: `${(100 * (at - bins.from)) / span}%` }}>
              {text}
            </span>
          ))}
      </div>
      <figcaption>
        <span class="muted">
          {localTimeText(bins.from + (shown + 1) * bins.stepSeconds, serverNow.peek())}: targets, and {resource} that
          one of them gained
        </span>
        <ul class="rollout-legend">
          {values.map(({ value, targets, growth }, i) => (
            <li key={value}>
              <span class={`rollout-key rollout-${classes[i]}`} aria-hidden="true" />
              <span class="mono">{visible(value) || '(none)'}</span>{' '}
              <span class="mono muted">
                {formatCount(targets[shown] ?? 0)}, {gainText(unit, growth[shown] ?? null)}
              </span>
            </li>
          ))}
          {view.moreValues > 0 && <li class="muted">{formatCount(view.moreValues)} more values</li>}
        </ul>
      </figcaption>
    </figure>
  );
}

function gainText(unit: RolloutView['unit'], gain: number | null): string {
  return gain === null ? amountText(unit, null) : signedAmount(unit, gain);
}
