/** The selection in the charts, and what to do with it. */
import { formatAge } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { CaptureView, TargetView } from '../../../src/model/watch.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { CaptureFiles } from '../capture-files.tsx';
import { comparisons, type Selection } from './target-selection.ts';

interface SelectionBarProps {
  readonly view: TargetView;
  readonly selection: Selection;
  readonly zoom: (range: readonly [number, number]) => void;
  readonly clear: () => void;
}

export function SelectionBar({ view, selection, zoom, clear }: SelectionBarProps) {
  const { a, b, brush } = selection;
  if (a === undefined && brush === undefined) {
    const hint =
      view.captures.length >= 2
        ? 'Select two captures, or drag across a chart, to compare what grew.'
        : 'Drag across a chart to zoom in.';
    return <p class="selection-bar muted">{hint}</p>;
  }
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
          Compare {kind} {i === 0 && <kbd>c</kbd>}
        </a>
      ))}
      {brush !== undefined && (
        <button type="button" onClick={() => zoom(brush)}>
          Zoom in <kbd>z</kbd>
        </button>
      )}
      <button type="button" onClick={clear}>
        Clear <kbd>Esc</kbd>
      </button>
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
