/** Who changed when, against growth: the targets with each value over time, and what one of them gained. */
import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { RolloutView } from '../../src/watch/watch-model.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import { axisTicks, localTimeText } from '../widgets/time-text.ts';
import { serverNow } from '../state/live.ts';
import { useApi } from '../state/use-api.ts';
import { amountText, signedAmount } from '../widgets/value-text.ts';

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

/**
 * A rollout as SVG paths, in a box of WIDTH x height:
 *
 *     shares   |####____----|     targets with each value, stacked, in steps
 *     growth   |      _.-''|      what one target with each value gained; all on one scale
 */
const WIDTH = 1000;

interface RolloutShapes {
  /** One area per value, in the order of the view; the first is at the bottom. */
  readonly areas: readonly string[];
  readonly lines: readonly string[];
  /** The scale of the lines. */
  readonly least: number;
  readonly most: number;
}

export function rolloutShapes(view: RolloutView, areaHeight: number, lineHeight: number): RolloutShapes {
  const { bins, values } = view;
  const step = WIDTH / bins.count;
  const all = values.flatMap(({ growth }) => growth.filter(value => value !== null));
  const least = Math.min(0, ...all);
  const most = Math.max(least + Number.EPSILON, ...all);
  const yOf = (value: number): number => lineHeight * (1 - (value - least) / (most - least));
  const total = Array.from({ length: bins.count }, (_, bin) =>
    values.reduce((sum, { targets }) => sum + (targets[bin] ?? 0), 0),
  );
  const floor = new Array<number>(bins.count).fill(0);
  const areas = values.map(({ targets }) => {
    const below = floor.map((count, bin) => areaHeight * (1 - share(count, total[bin])));
    targets.forEach((count, bin) => void (floor[bin] = (floor[bin] ?? 0) + count));
    const above = floor.map((count, bin) => areaHeight * (1 - share(count, total[bin])));
    return `${steps(above, step, 'M')}${steps([...below].reverse(), -step, 'L', WIDTH)}Z`;
  });
  const lines = values.map(({ growth }) => {
    let path = '';
    growth.forEach((value, bin) => {
      if (value === null) return;
      path += `${path === '' ? 'M' : 'L'}${round((bin + 0.5) * step)} ${round(yOf(value))}`;
    });
    return path;
  });
  return { areas, lines, least, most };
}

function share(count: number, total: number | undefined): number {
  return total === undefined || total === 0 ? 0 : count / total;
}

/** A staircase: each height holds for one step. */
function steps(heights: readonly number[], step: number, first: 'M' | 'L', from = 0): string {
  return heights
    .map((y, i) => {
      const x = from + i * step;
      return `${i === 0 ? first : 'L'}${round(x)} ${round(y)}L${round(x + step)} ${round(y)}`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
