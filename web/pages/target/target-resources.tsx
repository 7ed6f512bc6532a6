/** The resources of a target with their verdicts and reasons. */
import { visible } from '../../../src/base/visible-text.ts';
import type { ResourceDetection } from '../../../src/judge/detect/recorded-detection.ts';
import { mayLeak } from '../../../src/judge/verdict.ts';
import type { TargetView } from '../../../src/watch/watch-model.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { amountText, limitText, NO_VALUE, slopeText } from '../../text/amount-text.ts';
import { ledgerReasons } from '../../text/ledger-text.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { VerdictWord } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';

function columnsOf(firstSampleAt: number | null): readonly FactsColumn<ResourceDetection>[] {
  return [
    { name: 'Resource', kind: 'title', cell: ({ resource }) => resource },
    { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
    { name: 'Level', kind: 'number', cell: ({ unit, level }) => amountText(unit, level) },
    { name: 'Slope (90 %)', kind: 'number', cell: resource => <Slope resource={resource} /> },
    {
      name: 'Since',
      kind: 'number',
      cell: resource => <Since resource={resource} firstSampleAt={firstSampleAt} />,
    },
    { name: 'Limit in', kind: 'number', cell: ({ timeToLimitHours }) => limitText(timeToLimitHours) },
    { name: 'Summary', kind: 'text', class: 'resources-why', cell: resource => <Summary resource={resource} /> },
  ];
}

export function TargetResources({ view }: { readonly view: TargetView }) {
  const { resources, firstSampleAt } = view;
  if (resources.length === 0) return null;
  return (
    <section>
      <h2 id="resources-title">Resources</h2>
      <FactsTable
        labelledBy="resources-title"
        class="resources"
        columns={columnsOf(firstSampleAt)}
        rows={resources}
        rowKey={({ resource }) => resource}
      />
    </section>
  );
}

interface SinceProps {
  readonly resource: ResourceDetection;
  readonly firstSampleAt: number | null;
}

/** A rise that nobody saw begin began before the first sample. */
function Since({ resource: { onset, verdict, slopePerHour }, firstSampleAt }: SinceProps) {
  if (onset !== null) return <Timestamp at={Date.parse(onset) / 1000} />;
  if (!mayLeak(verdict) || firstSampleAt === null || !((slopePerHour ?? 0) > 0)) return <>{NO_VALUE}</>;
  return (
    <>
      before <Timestamp at={firstSampleAt} />
    </>
  );
}

function Slope({ resource: { unit, slopePerHour, slopeInterval } }: { readonly resource: ResourceDetection }) {
  return (
    <>
      {slopeText(unit, slopePerHour)}
      {slopeInterval !== null && (
        <span class="muted"> ({slopeInterval.map(end => amountText(unit, end)).join(' to ')})</span>
      )}
    </>
  );
}

function Summary({ resource }: { readonly resource: ResourceDetection }) {
  const { unit, clock, explanation, metric, ledger } = resource;
  const [first = '', ...others] = resource.reasons;
  return (
    <>
      {visible(first)}
      {isSmallRise(resource) && ', which rises too little to be a finding'}{' '}
      <Why
        of={resource.resource}
        reasons={[...others, ...ledgerReasons(ledger)]}
        inputs={{
          metric,
          ...(clock === null ? {} : { 'per operation': `${amountText(unit, clock.amount)} per ${clock.per}` }),
          ...(explanation === null ? {} : { explanation }),
        }}
      />
    </>
  );
}

/** Its whole interval is above nothing, and still it is called healthy. */
function isSmallRise({ verdict, explanation, slopeInterval }: ResourceDetection): boolean {
  return verdict === 'healthy' && explanation === null && (slopeInterval?.[0] ?? 0) > 0;
}
