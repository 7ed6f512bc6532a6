/** One frame as a line of text: its name, its values and its file. */
import { packageOf } from '../../src/profile/go-name/normalise.ts';
import { visible } from '../../src/base/visible-text.ts';
import { shortPath } from '../text/short-names.ts';
import { nameOf, placeOf, type CallTree } from '../call-tree/call-tree.ts';
import { frameFigures, type SandwichHalf } from './frame-figures.ts';

export interface FrameDetailsProps {
  readonly tree: CallTree;
  readonly node: number;
  readonly unit: string;
  readonly half: SandwichHalf | undefined;
}

export function FrameDetails({ tree, node, unit, half }: FrameDetailsProps) {
  const frame = tree.frame[node];
  const name = nameOf(tree, node);
  const path = frame < 0 ? '' : packageOf(name);
  const place = placeOf(tree, node);
  return (
    <div class="frame-details">
      <p class="frame-name mono">
        {path === '' ? (
          visible(name)
        ) : (
          <>
            <span class="muted">{visible(name.slice(0, path.length + 1))}</span>
            {visible(name.slice(path.length + 1))}
          </>
        )}
      </p>
      <p class="frame-values">
        {frameFigures(tree, node, unit, half).map(([label, text]) => (
          <span key={label} class="frame-value">
            <span class="muted">{label}</span> <span class="mono">{text}</span>
          </span>
        ))}
        {place !== '' && (
          <span class="frame-file muted mono" title={visible(place)}>
            {visible(shortPath(place))}
          </span>
        )}
      </p>
    </div>
  );
}
