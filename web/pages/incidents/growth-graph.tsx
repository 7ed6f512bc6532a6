/** What grew between two captures: the flame graph of the difference, in the page. */
import { useState } from 'preact/hooks';
import { formatAge } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { CaptureKind } from '../../../src/evidence/capture.ts';
import type { CaptureView } from '../../../src/watch/watch-model.ts';
import { FlameGraph } from '../../flame/flame-graph.tsx';
import { ChangeLegend } from '../../flame/flame-legend.tsx';
import { WHOLE, type ViewWindow } from '../../flame/view-window.ts';
import { largestChange } from '../../profiles/compare-answer.ts';
import { useProfileView } from '../../profiles/use-profile-view.ts';
import { unitOf, type OpenedProfile } from '../../reader/open-profile.ts';
import { askWorker, openByKey } from '../../reader/worker-client.ts';
import { useAsync } from '../../state/use-async.ts';
import { keepUnits } from '../../text/value-text.ts';
import type { FilePair } from '../../timeline/choose-pair.ts';
import { captureName } from '../../text/capture-name.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';

export function GrowthGraph({ pair }: { readonly pair: FilePair }) {
  const { a, b, before, after, kind } = pair;
  const { value: opened, error } = useAsync(() => Promise.all([openByKey(a), openByKey(b)]), [a, b]);
  const { value: growth } = useAsync(
    () => (opened === undefined ? undefined : askWorker('growth', { before: a, after: b, operations: undefined })),
    [a, b, opened],
  );
  const url = `/compare?a=${a}&b=${b}`;
  return (
    <section class="growth-graph" aria-labelledby="graph-title">
      <h2 id="graph-title">What grew</h2>
      {growth !== undefined && growth.growths.length > 0 && <p>{keepUnits(largestChange(growth))}</p>}
      <p class="growth-pair">
        <CaptureName kind={kind} capture={before} at={pair.atA} /> <span aria-hidden="true">→</span>{' '}
        <CaptureName kind={kind} capture={after} at={pair.atB} />
        <span class="muted">{formatAge(pair.atB - pair.atA)} apart</span>
        <a class="button" href={url}>
          Open the comparison
        </a>
      </p>
      {error !== undefined && <p class="muted">The profiles cannot be shown: {visible(error.message)}</p>}
      {opened !== undefined && <Graph pair={pair} opened={opened[1]} />}
    </section>
  );
}

interface CaptureNameProps {
  readonly kind: CaptureKind;
  readonly capture: CaptureView;
  /** When the file was collected. */
  readonly at: number;
}

function CaptureName({ kind, capture, at }: CaptureNameProps) {
  return (
    <span>
      {captureName(kind)} at <Timestamp at={at} /> <span class="muted">({visible(capture.trigger)})</span>
    </span>
  );
}

function Graph({ pair: { a, b }, opened }: { readonly pair: FilePair; readonly opened: OpenedProfile }) {
  const sampleType = opened.defaultSampleType;
  const { value: view } = useProfileView(b, a, { sampleType, labels: [], roots: [], widthOf: 'after' });
  const [selected, setSelected] = useState(-1);
  const [window, setWindow] = useState<ViewWindow>(WHOLE);
  if (view === undefined) return null;
  const unit = unitOf(opened.sampleTypes, sampleType);
  return (
    <>
      <FlameGraph
        label="Flame graph of what grew"
        tree={view.tree}
        unit={unit}
        colouring="change"
        flipped={false}
        window={window}
        selected={selected < view.tree.length ? selected : -1}
        onSelect={setSelected}
        onWindow={setWindow}
      />
      <ChangeLegend tree={view.tree} unit={unit} widthOf="after" />
    </>
  );
}
