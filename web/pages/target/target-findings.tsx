/** The families in the newest captures, and the known leaks they match. */
import { visible } from '../../../src/base/visible-text.ts';
import type { TargetView } from '../../../src/watch/watch-model.ts';
import { FindingsTable } from '../../findings/findings-table.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';

export function TargetFindings({ view: { analysis, events } }: { readonly view: TargetView }) {
  return (
    <section>
      <h2 id="families-title">Families</h2>
      {analysis === null ? (
        <NoProfile events={events} />
      ) : (
        <>
          <div class="families-answer">
            <VerdictMark verdict={analysis.verdict} />
            <div>
              {visible(analysis.sentence)} <Why of="the analysis" reasons={analysis.reasons} />
            </div>
          </div>
          <FindingsTable analysis={analysis} />
        </>
      )}
    </section>
  );
}

/** How the engine begins the note of a capture that failed. */
const FAILED = 'no evidence could be taken';

function NoProfile({ events }: { readonly events: TargetView['events'] }) {
  const failed = events.findLast(({ text }) => text.startsWith(FAILED));
  return (
    <p class="muted">
      No profile has been captured yet, so the code is unknown
      {failed === undefined ? '' : `: ${visible(failed.text)}`}.
    </p>
  );
}
