/** The proof of an incident on one time axis: how it grows, what grew, how fast before and after a restart. */
import { visible } from '../../../src/base/visible-text.ts';
import { resourceOf } from '../../../src/evidence/resource.ts';
import type { IncidentView, TargetView } from '../../../src/watch/watch-model.ts';
import { serverNow, status } from '../../state/live.ts';
import { useApi } from '../../state/use-api.ts';
import { fixedRange } from '../../state/time-range.ts';
import { ChartStack } from '../../timeline/chart-stack.tsx';
import { choosePair, kindFor, pairOf } from '../../timeline/choose-pair.ts';
import { readSelection } from '../../timeline/selection.ts';
import { LedgerList } from '../../widgets/ledger.tsx';
import { GrowthGraph } from './growth-graph.tsx';
import { RestartEvents } from './restart-events.tsx';
import { RestartComparison } from './restart-comparison.tsx';

interface IncidentProofProps {
  readonly view: IncidentView;
  readonly query: URLSearchParams;
}

export function IncidentProof({ view, query }: IncidentProofProps) {
  const target = useIncidentTarget(view);
  const [ledger] = view.ledgers;
  const epochs = target?.epochs ?? [];
  const kind = kindFor(view.resource);
  const selection = target === undefined ? undefined : readSelection(query, target);
  const selected =
    selection?.a === undefined || selection.b === undefined ? undefined : pairOf([selection.a, selection.b], kind);
  const pair = selected ?? choosePair(view.captures, epochs, kind);
  return (
    <>
      {target !== undefined && (
        <section aria-labelledby="growth-title">
          <h2 id="growth-title">How it grows</h2>
          <ChartStack view={target} query={query} proofOf={view.resource} />
        </section>
      )}
      {view.afterRestart !== null && (
        <RestartComparison afterRestart={view.afterRestart} resource={view.resource}>
          {target !== undefined && <RestartEvents cycle={view.cycle} target={target} />}
        </RestartComparison>
      )}
      {pair !== undefined && <GrowthGraph key={`${pair.a} ${pair.b}`} pair={pair} />}
      {ledger !== undefined && (
        <section aria-labelledby="ledger-title">
          <h2 id="ledger-title">Evidence</h2>
          <LedgerList ledger={ledger} of={visible(resourceOf(ledger.resource))} />
        </section>
      )}
    </>
  );
}

/** Some time before the first thing that happened, in shares of the whole. */
const LEAD_SHARE = 0.1;

/** The target over the time of the incident; undefined if it is no longer watched. */
function useIncidentTarget(view: IncidentView): TargetView | undefined {
  const { id, target, openedAt, closedAt } = view;
  const fixed = fixedRange.value;
  const first = Math.min(openedAt, ...view.timeline.map(({ at }) => at), ...view.captures.map(({ at }) => at));
  const hasClock = status.value !== null;
  const found = useApi<TargetView>(
    JSON.stringify(['incident', id, fixed, closedAt, hasClock]),
    () => {
      if (fixed === undefined && closedAt === null && status.peek() === null) return undefined;
      const end = Math.ceil(closedAt ?? serverNow.peek());
      const { from, to } = fixed ?? { from: Math.floor(first - LEAD_SHARE * (end - first)), to: end };
      return `/targets/${encodeURIComponent(target)}?from=${Math.round(from)}&to=${Math.round(to)}`;
    },
    event => event.kind === 'target' && event.target === target,
  );
  return found.data;
}
