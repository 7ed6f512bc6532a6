/** Every resource of a target and its verdict, with what it rests on. */
import { visible } from '../../src/base/visible-text.ts';
import type { ResourceDetection } from '../../src/model/recorded-detection.ts';
import { FactsTable, type Column } from '../widgets/facts-table.tsx';
import { amountText, limitText, NOTHING, slopeText } from '../widgets/figures.ts';
import { Moment } from '../widgets/moment.tsx';
import { VerdictWord } from '../widgets/verdict.tsx';
import { Why } from '../widgets/why.tsx';

const COLUMNS: readonly Column[] = [
  { name: 'Resource' },
  { name: 'Verdict' },
  { name: 'Level', isNumber: true },
  { name: 'Slope (90 %)', isNumber: true },
  { name: 'Since', isNumber: true },
  { name: 'Limit in', isNumber: true },
  { name: 'In one line' },
];

export function TargetResources({ resources }: { readonly resources: readonly ResourceDetection[] }) {
  if (resources.length === 0) return null;
  return (
    <section>
      <h2 id="resources-title">Resources</h2>
      <FactsTable labelledBy="resources-title" class="resources" columns={COLUMNS}>
        {resources.map(resource => (
          <ResourceLine key={resource.resource} resource={resource} />
        ))}
      </FactsTable>
    </section>
  );
}

function ResourceLine({ resource }: { readonly resource: ResourceDetection }) {
  const { unit, slopeInterval, onset, clock, reasons } = resource;
  const [first = '', ...grounds] = reasons;
  return (
    <tr>
      <th scope="row">{resource.resource}</th>
      <td>
        <VerdictWord verdict={resource.verdict} />
      </td>
      <td class="num">{amountText(unit, resource.level)}</td>
      <td class="num">
        {slopeText(unit, resource.slopePerHour)}
        {slopeInterval !== null && (
          <span class="muted"> ({slopeInterval.map(end => amountText(unit, end)).join(' to ')})</span>
        )}
      </td>
      <td class="num">{onset === null ? NOTHING : <Moment at={Date.parse(onset) / 1000} />}</td>
      <td class="num">{limitText(resource.timeToLimitHours)}</td>
      <td class="resources-why">
        {visible(first)}
        <Why
          of={resource.resource}
          reasons={grounds}
          inputs={{
            metric: resource.metric,
            ...(clock === null ? {} : { 'per operation': `${amountText(unit, clock.amount)} per ${clock.per}` }),
            ...(resource.explanation === null ? {} : { explanation: resource.explanation }),
          }}
        />
      </td>
    </tr>
  );
}
