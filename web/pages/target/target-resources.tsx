/** The resources of a target with their verdicts and reasons. */
import { visible } from '../../../src/base/visible-text.ts';
import type { ResourceDetection } from '../../../src/model/recorded-detection.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { amountText, limitText, NO_VALUE, slopeText } from '../../text/amount-text.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { VerdictWord } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';

const COLUMNS: readonly FactsColumn<ResourceDetection>[] = [
  { name: 'Resource', kind: 'title', cell: ({ resource }) => resource },
  { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
  { name: 'Level', kind: 'number', cell: ({ unit, level }) => amountText(unit, level) },
  { name: 'Slope (90 %)', kind: 'number', cell: resource => <Slope resource={resource} /> },
  {
    name: 'Since',
    kind: 'number',
    cell: ({ onset }) => (onset === null ? NO_VALUE : <Timestamp at={Date.parse(onset) / 1000} />),
  },
  { name: 'Limit in', kind: 'number', cell: ({ timeToLimitHours }) => limitText(timeToLimitHours) },
  { name: 'Summary', kind: 'text', class: 'resources-why', cell: resource => <Summary resource={resource} /> },
];

export function TargetResources({ resources }: { readonly resources: readonly ResourceDetection[] }) {
  if (resources.length === 0) return null;
  return (
    <section>
      <h2 id="resources-title">Resources</h2>
      <FactsTable
        labelledBy="resources-title"
        class="resources"
        columns={COLUMNS}
        rows={resources}
        rowKey={({ resource }) => resource}
      />
    </section>
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
  const { unit, clock, explanation, metric } = resource;
  const [first = '', ...others] = resource.reasons;
  return (
    <>
      {visible(first)}{' '}
      <Why
        of={resource.resource}
        reasons={others}
        inputs={{
          metric,
          ...(clock === null ? {} : { 'per operation': `${amountText(unit, clock.amount)} per ${clock.per}` }),
          ...(explanation === null ? {} : { explanation }),
        }}
      />
    </>
  );
}
