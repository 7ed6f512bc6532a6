/** What the colours and widths of a flame graph mean. */
import { useMemo } from 'preact/hooks';
import { isStd } from '../../src/profile/families/shared-packages.ts';
import { normaliseFrame, packageOf } from '../../src/profile/families/normalise.ts';
import { valueText } from '../widgets/value-text.ts';
import { biggestChange, packageColour, paletteOf, STANDARD_LIBRARY } from './palette.ts';
import type { CallTree } from './call-tree.ts';
import { functionTotals } from './function-totals.ts';
import type { WidthOf } from './lay-out.ts';
import { shortPath } from '../widgets/short-names.ts';

const SHOWN_PACKAGES = 6;

export function PackageLegend({ tree }: { readonly tree: CallTree }) {
  const { fills } = paletteOf('package');
  const packages = useMemo(() => largestPackages(tree), [tree]);
  return (
    <ul class="legend" aria-label="Colours">
      {packages.map(path => (
        <li key={path}>
          <Swatch fill={fills[packageColour(`${path}.f`)]} />
          <span class="mono">{shortPath(path)}</span>
        </li>
      ))}
      <li>
        <Swatch fill={fills[STANDARD_LIBRARY]} /> Go standard library and runtime
      </li>
    </ul>
  );
}

/** The packages with the largest functions by cum, without the standard library. */
function largestPackages(tree: CallTree): string[] {
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

export function ChangeLegend(props: { readonly tree: CallTree; readonly unit: string; readonly widthOf: WidthOf }) {
  const { tree, unit } = props;
  const { fills } = paletteOf('change');
  const biggest = useMemo(() => biggestChange(tree), [tree]);
  const width = props.widthOf === 'after' ? 'the later value' : 'the larger of before and after';
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
        Colour shows the amount of change: blue is less, orange is more, grey is none. Width shows {width}.
      </span>
    </div>
  );
}

function Swatch({ fill }: { readonly fill: string }) {
  return <span class="legend-swatch" style={{ background: fill }} aria-hidden="true" />;
}
