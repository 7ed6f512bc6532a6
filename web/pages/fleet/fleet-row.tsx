import { visible } from '../../../src/base/visible-text.ts';
import { clusterOf, withoutCluster } from '../../../src/evidence/target.ts';
import type { Verdict } from '../../../src/judge/verdict.ts';
import type { FleetRow } from '../../../src/watch/fleet/fleet.ts';
import type { TimeBins } from '../../../src/watch/watch-model.ts';
import { heatSentence } from '../../charts/heat-runs.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { targetUrl } from '../../state/router.ts';
import { withRange } from '../../state/time-range.ts';
import { amountText, limitText, slopeText } from '../../text/amount-text.ts';
import { VerdictWord } from '../../widgets/verdict.tsx';

interface FleetTableRowProps {
  readonly row: FleetRow;
  readonly index: number;
  readonly top: number;
  readonly bins: TimeBins;
  readonly isActive: boolean;
  /** Tab reaches one row of the table; j and k move from there. */
  readonly isTabStop: boolean;
}

export function FleetTableRow({ row, index, top, bins, isActive, isTabStop }: FleetTableRowProps) {
  const history = heatSentence(row.heat, bins);
  const cluster = clusterOf(row.target);
  const isCalm = row.verdict === 'healthy' || row.verdict === 'unknown';
  return (
    <div
      class={`fleet-row${isActive ? ' fleet-active' : ''}${row.stale === null ? '' : ' fleet-stale'}`}
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      style={{ top: `${top}px` }}
    >
      <div class="fleet-cell fleet-verdict" role="cell">
        <VerdictWord verdict={row.verdict} />
      </div>
      <div class="fleet-cell fleet-target" role="rowheader">
        <a href={withRange(targetUrl(row.target))} tabIndex={isTabStop ? 0 : -1} title={visible(row.reason)}>
          {cluster !== undefined && <span class="fleet-cluster">{visible(cluster)} </span>}
          {visible(withoutCluster(row.target))}
        </a>
      </div>
      <div class="fleet-cell fleet-version mono" role="cell">
        {visible(row.attributes['version'] ?? '')}
      </div>
      <div class="fleet-cell fleet-cause" role="cell" title={causeTitle(row)}>
        <Cause row={row} />
      </div>
      <div class="fleet-cell fleet-resource" role="cell">
        {row.resource ?? ''}
      </div>
      <div class="fleet-cell fleet-level num" role="cell">
        {amountText(row.unit, row.level)}
      </div>
      <div class="fleet-cell fleet-shape" role="cell">
        <Sparkline values={row.spark} />
      </div>
      <div class={`fleet-cell fleet-slope num${isCalm ? ' muted' : ''}`} role="cell">
        {slopeText(row.unit, row.slopePerHour)}
      </div>
      <div class="fleet-cell fleet-limit num" role="cell">
        {limitText(row.timeToLimitHours)}
      </div>
      <div class="fleet-cell fleet-heat" role="cell" title={history}>
        <span class="sr-only">{history}</span>
      </div>
    </div>
  );
}

/** Without a cause. */
const UNEXPLAINED: Partial<Record<Verdict, string>> = {
  leak: 'not known yet',
  watch: 'not known yet',
  unknown: 'too few samples to tell from chance',
};

/** Why it grows, or why there is nothing newer. */
function Cause({ row: { cause, stale, verdict, incidentId } }: { readonly row: FleetRow }) {
  if (stale !== null) return <>no answer: {visible(stale)}</>;
  if (cause === null) {
    const why = UNEXPLAINED[verdict];
    return why === undefined ? null : <span class="muted">{why}</span>;
  }
  if (cause.kind === 'explained') return <span class="muted">{visible(cause.text)}</span>;
  // The row's link goes to the target; this one goes to the proof.
  if (incidentId === null) return <>{visible(cause.text)}</>;
  return (
    <a href={`/i/${encodeURIComponent(incidentId)}`} tabIndex={-1}>
      {visible(cause.text)}
    </a>
  );
}

function causeTitle({ cause, stale }: FleetRow): string | undefined {
  if (stale !== null) return `no answer: ${visible(stale)}`;
  return cause === null
    ? undefined
    : visible(cause.kind === 'explained' ? cause.text : `${cause.text}: ${cause.title}`);
}
