/** Is this target leaking, since when, and when does it reach its limit? */
import type { TargetView } from '../../../src/watch/watch-model.ts';
import { status, serverNow } from '../../state/live.ts';
import { useApi } from '../../state/use-api.ts';
import { fixedRange, rangeHours } from '../../state/time-range.ts';
import { WhenLoaded } from '../../widgets/loading-states.tsx';
import type { PageProps } from '../page-props.ts';
import { ChartStack } from '../../timeline/chart-stack.tsx';
import { TargetAnswer } from './target-answer.tsx';
import { TargetEvidence } from './target-evidence.tsx';
import { TargetFindings } from './target-findings.tsx';
import { TargetNumbers } from './target-numbers.tsx';
import { TargetResources } from './target-resources.tsx';

export function TargetPage({ params, query }: PageProps) {
  const { target = '' } = params;
  const hours = rangeHours.value;
  const fixed = fixedRange.value;
  const hasClock = status.value !== null;
  const view = useApi<TargetView>(
    JSON.stringify([target, hours, fixed, hasClock]),
    () => {
      // The range ends at the server's current time, which the status brings.
      if (fixed === undefined && status.peek() === null) return undefined;
      const now = Math.ceil(serverNow.peek());
      const { from, to } = fixed ?? { from: now - hours * 3600, to: now };
      return `/targets/${encodeURIComponent(target)}?from=${Math.round(from)}&to=${Math.round(to)}`;
    },
    event => event.kind === 'target' && event.target === target,
  );
  return (
    <WhenLoaded api={view}>
      {data => (
        <>
          <TargetAnswer view={data} refresh={view.refresh} />
          <ChartStack view={data} query={query} />
          <TargetEvidence view={data} />
          <TargetResources view={data} />
          <TargetFindings view={data} />
          <TargetNumbers view={data} />
        </>
      )}
    </WhenLoaded>
  );
}
