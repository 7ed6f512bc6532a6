/** The selection in the charts, and what to do with it. */
import { formatAge, signed, formatBytes } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { CaptureView, TargetView } from '../../src/watch/watch-model.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import type { Panel } from './panels.ts';
import { setQuery } from '../state/router.ts';
import { captureName } from '../widgets/short-names.ts';
import { comparisons, type Selection, isProfile } from './selection.ts';
import { amountText, NO_VALUE, type Unit } from '../widgets/value-text.ts';
import { type FactsColumn, FactsTable } from '../widgets/facts-table.tsx';

/** A brushed range against the range of the same length before it. */
const COLUMNS: readonly FactsColumn<RangeMeans>[] = [
  { name: 'Mean of', kind: 'title', cell: ({ label }) => label },
  { name: 'Before', kind: 'number', cell: ({ unit, before }) => amountText(unit, before) },
  { name: 'In the range', kind: 'number', cell: ({ unit, mean }) => amountText(unit, mean) },
  {
    name: 'Change',
    kind: 'number',
    cell: ({ unit, before, mean }) =>
      before === null || mean === null ? NO_VALUE : signed(amountText(unit, mean - before)),
  },
];

interface SelectionBarProps {
  readonly view: TargetView;
  readonly selection: Selection;
  /** The charts that are shown. */
  readonly panels: readonly Panel[];
  readonly zoom: (range: readonly [number, number]) => void;
  readonly clear: () => void;
}

export function SelectionBar({ view, selection, panels, zoom, clear }: SelectionBarProps) {
  const { a, b, brush, againstBefore } = selection;
  if (a === undefined && brush === undefined) {
    const hint =
      view.captures.length >= 2
        ? 'Select two captures, or drag across a chart, to compare what grew. Shift and drag compares with the range before.'
        : 'Drag across a chart to zoom in. Shift and drag compares with the range before.';
    return <p class="selection-bar muted">{hint}</p>;
  }
  // Two captures are a range, too: that way the keyboard selects one.
  const range = brush ?? (a !== undefined && b !== undefined ? ([a.at, b.at] as const) : undefined);
  return (
    <div class="selection-bar" role="status">
      {brush !== undefined && (
        <span>
          <Timestamp at={brush[0]} /> to <Timestamp at={brush[1]} />, {formatAge(brush[1] - brush[0])}
        </span>
      )}
      {a !== undefined && <SelectedCapture name="A" capture={a} />}
      {b !== undefined && <SelectedCapture name="B" capture={b} />}
      {b === undefined && a !== undefined && <span class="muted">select another one to compare</span>}
      {comparisons(selection, view).map(({ kind, url }, i) => (
        <a key={kind} class="button" href={url}>
          Compare {captureName(kind)}s {i === 0 && <kbd>c</kbd>}
        </a>
      ))}
      {range !== undefined && (
        <button type="button" onClick={() => zoom(range)}>
          Zoom in {brush !== undefined && <kbd>z</kbd>}
        </button>
      )}
      {range !== undefined && (
        <button
          type="button"
          aria-pressed={againstBefore}
          title="Shift and drag does the same"
          onClick={() =>
            setQuery(
              againstBefore ? { vs: null } : { a: null, b: null, brush: range.map(Math.round).join(','), vs: 'before' },
            )
          }
        >
          Compare with the range before
        </button>
      )}
      <button type="button" onClick={clear}>
        Clear <kbd>Esc</kbd>
      </button>
      {brush !== undefined && againstBefore && <RangeComparison panels={panels} brush={brush} />}
    </div>
  );
}

function SelectedCapture({ name, capture }: { readonly name: string; readonly capture: CaptureView }) {
  return (
    <div class="selected-capture">
      <strong>{name}</strong> <Timestamp at={capture.at} /> <span class="muted">{visible(capture.trigger)}</span>{' '}
      <CaptureFiles capture={capture} />
    </div>
  );
}

interface RangeComparisonProps {
  readonly panels: readonly Panel[];
  readonly brush: readonly [number, number];
}

function RangeComparison({ panels, brush }: RangeComparisonProps) {
  return (
    <div class="range-comparison">
      <p id="range-title" class="muted">
        The selected {formatAge(brush[1] - brush[0])} and as long before it
      </p>
      <FactsTable
        labelledBy="range-title"
        columns={COLUMNS}
        rows={rangeMeans(panels, brush)}
        rowKey={({ label }) => label}
        staysTable
      />
    </div>
  );
}

/**
 * The mean of each charted series in a range, and in the range of the same length right before it:
 *
 *     |---- before ----|---- range ----|
 *          24.1 MiB         28.9 MiB       +4.8 MiB
 */
interface RangeMeans {
  readonly label: string;
  readonly unit: Unit;
  /** Null if there is no sample. */
  readonly before: number | null;
  readonly mean: number | null;
}

export function rangeMeans(panels: readonly Panel[], [from, to]: readonly [number, number]): RangeMeans[] {
  return panels.flatMap(({ lines }) =>
    lines
      .filter(({ isBackground }) => !isBackground)
      .map(({ label, unit, series: { times, values } }) => {
        const meanIn = (start: number, end: number): number | null => {
          const inside = values.filter((value, i) => {
            const at = times[i];
            return at !== undefined && at >= start && at < end && Number.isFinite(value);
          });
          return inside.length === 0 ? null : inside.reduce((sum, value) => sum + value, 0) / inside.length;
        };
        return { label, unit, before: meanIn(from - (to - from), from), mean: meanIn(from, to) };
      }),
  );
}

/** The files of a capture: profiles open in the UI, other files are downloaded. */
export function CaptureFiles({ capture }: { readonly capture: CaptureView }) {
  return (
    <ul class="capture-files">
      {capture.files.map(({ kind, sha256, bytes, truncated }) => (
        <li key={sha256}>
          {isProfile(kind) ? (
            <a href={`/p/${sha256}`}>{captureName(kind)}</a>
          ) : (
            <a href={`/api/v1/profiles/${sha256}`} download>
              {captureName(kind)}
            </a>
          )}{' '}
          <span class="mono muted">{formatBytes(bytes)}</span>
          {truncated !== null && <span class="muted"> cut short: {visible(truncated)}</span>}
        </li>
      ))}
    </ul>
  );
}
