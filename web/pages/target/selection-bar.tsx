/** What is chosen in the charts, and what can be done with it. */
import { formatAge } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { CaptureView, TargetView } from '../../../src/model/watch.ts';
import { Moment } from '../../widgets/timestamp.tsx';
import { CaptureFiles } from '../capture-files.tsx';
import { comparable, type Selection } from './target-selection.ts';

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
        ? 'Choose two captures, or drag over a chart, to compare what grew between them.'
        : 'Drag over a chart to zoom in.';
    return <p class="choice muted">{hint}</p>;
  }
  return (
    <div class="choice" role="status">
      {brush !== undefined && (
        <span>
          <Moment at={brush[0]} /> to <Moment at={brush[1]} />, {formatAge(brush[1] - brush[0])}
        </span>
      )}
      {a !== undefined && <Chosen name="A" capture={a} />}
      {b !== undefined && <Chosen name="B" capture={b} />}
      {b === undefined && a !== undefined && <span class="muted">choose a second one to compare</span>}
      {comparable(selection, view).map(({ kind, url }, i) => (
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

function Chosen({ name, capture }: { readonly name: string; readonly capture: CaptureView }) {
  return (
    <div class="choice-capture">
      <strong>{name}</strong> <Moment at={capture.at} /> <span class="muted">{visible(capture.trigger)}</span>{' '}
      <CaptureFiles capture={capture} />
    </div>
  );
}
