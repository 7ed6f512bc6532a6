/** The families that the newest captures show, and the known leaks that they are. */
import { formatShare, signed } from '../../src/base/quantities.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { Analysis, Finding } from '../../src/model/analysis.ts';
import { FactsTable, type Column } from '../widgets/facts-table.tsx';
import { amountText, NOTHING, slopeText } from '../widgets/figures.ts';
import { MatchNote } from '../widgets/match-note.tsx';
import { VerdictMark, VerdictWord } from '../widgets/verdict.tsx';
import { Why } from '../widgets/why.tsx';

const SHOWN = 12;

const COLUMNS: readonly Column[] = [
  { name: 'Verdict' },
  { name: 'Family' },
  { name: 'Now', isNumber: true },
  { name: 'Share', isNumber: true },
  { name: 'Growth', isNumber: true },
  { name: 'Per hour', isNumber: true },
  { name: 'Per operation', isNumber: true },
];

export function TargetFindings({ analysis }: { readonly analysis: Analysis | null }) {
  if (analysis === null) {
    return (
      <section>
        <h2 id="families-title">Families</h2>
        <p class="muted">No profile was captured yet, so there is no code to point at.</p>
      </section>
    );
  }
  const findings = analysis.findings.slice(0, SHOWN);
  return (
    <section>
      <h2 id="families-title">Families</h2>
      <p class="families-answer">
        <VerdictMark verdict={analysis.verdict} />
        <span>{visible(analysis.sentence)}</span>
        <Why of="the analysis" reasons={analysis.reasons} />
      </p>
      {findings.length > 0 && (
        <FactsTable labelledBy="families-title" class="families" columns={COLUMNS}>
          {findings.map(finding => (
            <FamilyLine key={finding.family.id + finding.resource} finding={finding} />
          ))}
        </FactsTable>
      )}
      {analysis.findings.length > SHOWN && (
        <p class="muted">{analysis.findings.length - SHOWN} more are in the profile itself.</p>
      )}
    </section>
  );
}

function FamilyLine({ finding }: { readonly finding: Finding }) {
  const { family, growth, bytes } = finding;
  const unit = finding.resource === 'heap' || finding.resource === 'stacks' ? 'bytes' : 'count';
  return (
    <tr>
      <td>
        <VerdictWord verdict={finding.verdict} />
      </td>
      <th scope="row" class="families-name">
        <span class="mono" title={family.frames.map(visible).join('\n')}>
          {visible(family.title)}
        </span>
        {finding.matches.map(match => (
          <MatchNote key={match.id} match={match} />
        ))}
        <Why of={visible(family.title)} reasons={finding.reasons} inputs={{ family: family.id }} />
      </th>
      <td class="num">{amountText(unit, bytes ?? finding.count)}</td>
      <td class="num">{formatShare(finding.share)}</td>
      <td class="num">{growth === null ? NOTHING : signed(amountText(unit, growth.delta))}</td>
      <td class="num">{slopeText(unit, growth?.perHour ?? null)}</td>
      <td class="num">{amountText(unit, growth?.perOperation ?? null)}</td>
    </tr>
  );
}
