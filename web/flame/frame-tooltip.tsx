/** The figures of the frame under the pointer, beside the cursor. Screen readers get the line below the graph. */
import type { RefObject } from 'preact';
import { visible } from '../../src/base/visible-text.ts';
import { nameOf, placeOf, type CallTree } from '../call-tree/call-tree.ts';
import { frameFigures, type SandwichHalf } from './frame-figures.ts';
import type { PointerPlace } from './flame-canvas.ts';

export interface FrameTooltipProps {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly tree: CallTree;
  readonly node: number;
  readonly unit: string;
  readonly half: SandwichHalf | undefined;
  readonly hasMenu: boolean;
}

export function FrameTooltip({ box, tree, node, unit, half, hasMenu }: FrameTooltipProps) {
  const place = placeOf(tree, node);
  return (
    <div ref={box} class="frame-tooltip" aria-hidden="true">
      <p class="mono">
        <strong>{visible(nameOf(tree, node))}</strong>
      </p>
      {place !== '' && <p class="mono muted">{visible(place)}</p>}
      <dl>
        {frameFigures(tree, node, unit, half).map(([label, text]) => (
          <>
            <dt class="muted">{label}</dt>
            <dd class="mono">{text}</dd>
          </>
        ))}
      </dl>
      <p class="muted">Click zooms, double click goes back{hasMenu ? ', right click for more' : ''}</p>
    </div>
  );
}

const GAP_PIXELS = 14;

/** Right of the cursor and below it, or on the other side where there is no room. */
export function placeTooltip(box: HTMLElement | null, { x, y }: PointerPlace): void {
  if (box === null) return;
  const { offsetWidth, offsetHeight } = box;
  const fitsRight = x + GAP_PIXELS + offsetWidth <= innerWidth;
  const fitsBelow = y + GAP_PIXELS + offsetHeight <= innerHeight;
  const left = fitsRight ? x + GAP_PIXELS : Math.max(0, x - GAP_PIXELS - offsetWidth);
  const top = fitsBelow ? y + GAP_PIXELS : Math.max(0, y - GAP_PIXELS - offsetHeight);
  box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}
