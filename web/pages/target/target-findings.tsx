/** The families in the newest captures, and the known leaks they match. */
import { formatShare, signed } from '../../../src/base/quantities.ts';
import { visible } from '../../../src/base/visible-text.ts';
import type { Analysis, Finding } from '../../../src/model/analysis.ts';
import { FactsTable, type FactsColumn } from '../../widgets/facts-table.tsx';
import { amountText, NO_VALUE, slopeText } from '../../text/amount-text.ts';
import { MatchNote } from '../../widgets/match-note.tsx';
import { VerdictMark, VerdictWord } from '../../widgets/verdict.tsx';
import { Why } from '../../widgets/why.tsx';

const MAX_SHOWN = 12;

const COLUMNS: readonly FactsColumn<Finding>[] = [
  { name: 'Verdict', kind: 'title', cell: ({ verdict }) => <VerdictWord verdict={verdict} /> },
  { name: 'Family', kind: 'text', isHead: true, class: 'families-name', cell: finding => <Family finding={finding} /> },
  {
    name: 'Now',
    kind: 'number',
    cell: finding => amountText(unitOf(finding), finding.bytes ?? finding.count),
  },
  { name: 'Share', kind: 'number', cell: ({ share }) => formatShare(share) },
  {
    name: 'Growth',
    kind: 'number',
    cell: finding => (finding.growth === null ? NO_VALUE : signed(amountText(unitOf(finding), finding.growth.delta))),
  },
  {
    name: 'Per hour',
    kind: 'number',
    cell: finding => slopeText(unitOf(finding), finding.growth?.perHour ?? null),
  },
  {
    name: 'Per operation',
    kind: 'number',
    cell: finding => amountText(unitOf(finding), finding.growth?.perOperation ?? null),
  },
];

export function TargetFindings({ analysis }: { readonly analysis: Analysis | null }) {
  if (analysis === null) {
    return (
      <section>
        <h2 id="families-title">Families</h2>
        <p class="muted">No profile has been captured yet, so the code is unknown.</p>
      </section>
    );
  }
  const findings = analysis.findings.slice(0, MAX_SHOWN);
  return (
    <section>
      <h2 id="families-title">Families</h2>
      <div class="families-answer">
        <VerdictMark verdict={analysis.verdict} />
        <div>
          {visible(analysis.sentence)} <Why of="the analysis" reasons={analysis.reasons} />
        </div>
      </div>
      {findings.length > 0 && (
        <FactsTable
          labelledBy="families-title"
          class="families"
          columns={COLUMNS}
          rows={findings}
          rowKey={({ family, resource }) => family.id + resource}
        />
      )}
      {analysis.findings.length > MAX_SHOWN && (
        <p class="muted">{analysis.findings.length - MAX_SHOWN} more are in the profile.</p>
      )}
    </section>
  );
}

function unitOf({ resource }: Finding): 'bytes' | 'count' {
  return resource === 'heap' || resource === 'stacks' ? 'bytes' : 'count';
}

function Family({ finding: { family, matches, reasons } }: { readonly finding: Finding }) {
  return (
    <>
      <span class="mono" title={family.frames.map(visible).join('\n')}>
        {visible(family.title)}
      </span>{' '}
      <Why of={visible(family.title)} reasons={reasons} inputs={{ family: family.id }} />
      {matches.map(match => (
        <MatchNote key={match.id} match={match} />
      ))}
    </>
  );
}
