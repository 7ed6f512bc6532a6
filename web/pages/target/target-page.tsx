/** Is this target leaking, since when, and when does it reach its limit? */
import { visible } from '../../../src/base/visible-text.ts';
import type { TargetView } from '../../../src/model/watch.ts';
import { status, serverNow } from '../../state/live.ts';
import { useApi } from '../../state/use-api.ts';
import { fixedRange, rangeHours } from '../../state/time-range.ts';
import { WhenLoaded } from '../../widgets/loading-states.tsx';
import { VerdictMark } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';
import type { PageProps } from '../page-props.ts';
import { CaptureNow } from './capture-now.tsx';
import { TargetCharts } from './target-charts.tsx';
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
          <TargetCharts view={data} query={query} />
          <TargetResources resources={data.resources} />
          <TargetFindings analysis={data.analysis} />
          <TargetNumbers view={data} />
        </>
      )}
    </WhenLoaded>
  );
}

function TargetAnswer({ view, refresh }: { readonly view: TargetView; readonly refresh: () => void }) {
  const worst = view.resources[0];
  return (
    <div class="answer">
      <VerdictMark verdict={view.verdict} />
      <h1>{visible(view.sentence)}</h1>
      {worst !== undefined && <Why of="the verdict" reasons={worst.reasons} inputs={{ metric: worst.metric }} />}
      <p class="answer-facts">
        <span class="sr-only">Verdict: {view.verdict}. </span>
        {Object.entries(view.attributes).map(([name, value]) => (
          <span key={name}>
            <span class="muted">{visible(name)}</span> <span class="mono">{visible(value)}</span>
          </span>
        ))}
        {view.incidents.map(({ id, closedAt }) => (
          <a key={id} href={`/i/${encodeURIComponent(id)}`}>
            {closedAt === null ? 'open incident' : 'incident'} {visible(id)}
          </a>
        ))}
        {status.value?.capturesAllowed === true && <CaptureNow target={view.target} done={refresh} />}
      </p>
      {view.cycle !== null && view.cycle.stage !== 'healthy' && view.cycle.stage !== 'unknown' && (
        <p>
          <strong>{view.cycle.stage}</strong> {visible(view.cycle.sentence)}
        </p>
      )}
    </div>
  );
}
