/** What the colours and widths of a flame graph mean. */
import { useMemo } from 'preact/hooks';
import { isStd } from '../../src/analysis/families/plumbing.ts';
import { normaliseFrame, packageOf } from '../../src/model/go-name/normalise.ts';
import { valueText } from '../text/value-text.ts';
import { biggestChange, CHANGE_STEPS, packageColour } from './frame-colours.ts';
import type { FlameTree } from '../call-tree/call-tree.ts';
import { functionTotals } from '../call-tree/function-totals.ts';
import type { WidthOf } from '../call-tree/lay-out.ts';
import { paletteOf } from './palette.ts';

const SHOWN_PACKAGES = 6;

export function PackageLegend({ tree }: { readonly tree: FlameTree }) {
  const { fills } = paletteOf('package');
  const packages = useMemo(() => largestPackages(tree), [tree]);
  return (
    <ul class="legend" aria-label="Colours">
      {packages.map(path => (
        <li key={path}>
          <Swatch fill={fills[packageColour(`${path}.f`)]} />
          <span class="mono">{path.split('/').slice(-2).join('/')}</span>
        </li>
      ))}
      <li>
        <Swatch fill={fills[2]} /> Go's library and runtime
      </li>
    </ul>
  );
}

/** By what ends in them; the standard library has its own entry. */
function largestPackages(tree: FlameTree): string[] {
  const totals = new Map<string, number>();
  for (const { frame, cum } of functionTotals(tree)) {
    const path = packageOf(normaliseFrame(tree.frames.names[frame]));
    if (path !== '' && !isStd(path)) totals.set(path, Math.max(totals.get(path) ?? 0, cum));
  }
  return [...totals]
    .sort((a, b) => b[1] - a[1])
    .slice(0, SHOWN_PACKAGES)
    .map(([path]) => path);
}

export function ChangeLegend(props: { readonly tree: FlameTree; readonly unit: string; readonly widthOf: WidthOf }) {
  const { tree, unit } = props;
  const { fills } = paletteOf('change');
  const biggest = useMemo(() => biggestChange(tree), [tree]);
  const width = props.widthOf === 'after' ? 'what is there after' : 'the larger of before and after';
  return (
    <div class="legend">
      <span class="mono">−{valueText(biggest, unit)}</span>
      <span class="legend-scale" aria-hidden="true">
        {fills.map((fill, i) => (
          <span key={i} style={{ background: fill }} />
        ))}
      </span>
      <span class="mono">+{valueText(biggest, unit)}</span>
      <span class="muted">
        Colour: the change as an amount, blue less, orange more, grey none; in {CHANGE_STEPS} steps. Width: {width}.
      </span>
    </div>
  );
}

function Swatch({ fill }: { readonly fill: string }) {
  return <span class="legend-swatch" style={{ background: fill }} aria-hidden="true" />;
}
