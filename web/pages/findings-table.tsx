/** The families that an analysis found, and the known leaks they match. */
import { formatShare, signed } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { Analysis, Finding } from '../../src/judge/analysis.ts';
import { ledgerReasons } from '../widgets/ledger.tsx';
import { type FactsColumn, FactsTable } from '../widgets/facts-table.tsx';
import { amountText, NO_VALUE, slopeText } from '../widgets/value-text.ts';
import { placeText } from '../widgets/short-names.ts';
import { MatchNote } from '../widgets/match-note.tsx';
import { VerdictWord, Why } from '../widgets/verdict.tsx';

const MAX_SHOWN = 12;

const COLUMNS: readonly FactsColumn<FamilyLives>[] = [
  { name: 'Verdict', kind: 'title', cell: ({ latest }) => <VerdictWord verdict={latest.verdict} /> },
  {
    name: 'Family',
    kind: 'text',
    isHead: true,
    class: 'families-name',
    cell: ({ latest, explained }) => <Family finding={latest} explained={explained} />,
  },
  { name: 'Now', kind: 'number', cell: row => <PerLife row={row} text={nowText} /> },
  { name: 'Share', kind: 'number', cell: ({ latest }) => formatShare(latest.share) },
  { name: 'Growth', kind: 'number', cell: row => <PerLife row={row} text={growthText} /> },
  { name: 'Per hour', kind: 'number', cell: row => <PerLife row={row} text={rateText} /> },
  {
    name: 'Per operation',
    kind: 'number',
    cell: ({ latest }) => amountText(unitOf(latest), latest.growth?.perOperation ?? null),
  },
];

function nowText(finding: Finding): string {
  return amountText(unitOf(finding), finding.bytes ?? finding.count);
}

function growthText(finding: Finding): string {
  return finding.growth === null ? NO_VALUE : signed(amountText(unitOf(finding), finding.growth.delta));
}

function rateText(finding: Finding): string {
  return slopeText(unitOf(finding), finding.growth?.perHour ?? null);
}

/** The value in the latest life, and below it those of earlier lives. */
function PerLife({ row, text }: { readonly row: FamilyLives; readonly text: (finding: Finding) => string }) {
  return (
    <>
      {text(row.latest)}
      {row.earlier.map((finding, i) => (
        <div key={i} class="muted">
          <span class="families-life">life {finding.life?.number ?? ''}</span> {text(finding)}
        </div>
      ))}
    </>
  );
}

export function FindingsTable({ analysis }: { readonly analysis: Analysis }) {
  const rows = familyLives(analysis.findings);
  const shown = rows.slice(0, MAX_SHOWN);
  return (
    <>
      {shown.length > 0 && (
        <FactsTable
          labelledBy="families-title"
          class="families"
          columns={COLUMNS}
          rows={shown}
          rowKey={({ latest }) => latest.family.id + latest.resource}
        />
      )}
      {rows.length > MAX_SHOWN && <p class="muted">{rows.length - MAX_SHOWN} more are in the profile.</p>}
    </>
  );
}

function unitOf({ resource }: Finding): 'bytes' | 'count' {
  return resource === 'heap' || resource === 'stacks' ? 'bytes' : 'count';
}

interface FamilyProps {
  readonly finding: Finding;
  /** Known leaks that a row above explains. */
  readonly explained: ReadonlySet<string>;
}

function Family({ finding: { family, matches, reasons, ledger }, explained }: FamilyProps) {
  return (
    <>
      <span class="mono" title={family.frames.map(visible).join('\n')}>
        {visible(family.title)}
      </span>{' '}
      <Why
        of={visible(family.title)}
        reasons={ledger === undefined ? reasons : ledgerReasons(ledger)}
        inputs={{ family: family.id }}
      />
      {family.at !== null && <div class="mono muted">{visible(placeText(family))}</div>}
      {matches.map(match =>
        explained.has(match.ref) ? (
          <p key={match.id} class="muted">
            {visible(match.ref)}, as above
          </p>
        ) : (
          <MatchNote key={match.id} match={match} />
        ),
      )}
    </>
  );
}

/**
 * One row per family, whatever the number of lives it grew in:
 *
 *     life 1  startPodSync  +36.7 MiB/h
 *     life 2  startPodSync  +24.8 MiB/h     ->   startPodSync  +24.8 MiB/h, in life 1 +36.7 MiB/h
 */
interface FamilyLives {
  /** The finding of the latest life. */
  readonly latest: Finding;
  /** Those of earlier lives, the latest first. */
  readonly earlier: readonly Finding[];
  /** The known leaks that rows above have explained. */
  readonly explained: ReadonlySet<string>;
}

/** In the order of the findings. */
export function familyLives(findings: readonly Finding[]): FamilyLives[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.resource} ${finding.family.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  const explained = new Set<string>();
  return [...groups.values()].flatMap(group => {
    const [latest, ...earlier] = group.toSorted((a, b) => (b.life?.number ?? 0) - (a.life?.number ?? 0));
    if (latest === undefined) return [];
    const row = { latest: withMatches(latest, group), earlier, explained: new Set(explained) };
    for (const { ref } of row.latest.matches) explained.add(ref);
    return [row];
  });
}

/** The first finding of a known leak has all that is to say about it, in whichever life that is. */
function withMatches(latest: Finding, group: readonly Finding[]): Finding {
  const [first] = group;
  return first === undefined || first.matches.length === 0 ? latest : { ...latest, matches: first.matches };
}
