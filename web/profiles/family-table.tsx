/** The families of a goroutine or heap profile, and the details of the selected one. */
import { formatAge, formatCount } from '../../src/base/say.ts';
import { retentionOf } from '../../src/judge/process/retention-of.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { FindingAges } from '../../src/judge/analysis.ts';
import type { FamilyCount, FamilyTable as Families } from '../../src/profile/families/family.ts';
import { keptPhrase } from '../../src/judge/process/retention.ts';
import type { Match } from '../../src/knowledge/known-leak-match.ts';
import { AgeBars, ageSpan } from '../charts/age-bars.tsx';
import { VirtualTable, type Column } from '../widgets/virtual-table.tsx';
import { FamilyDetails, KnownMark } from './family-details.tsx';
import { shareText, valueText } from '../widgets/value-text.ts';

export interface FamilyTableProps {
  readonly families: Families;
  readonly matches: ReadonlyMap<string, readonly Match[]>;
  readonly ages: ReadonlyMap<string, FindingAges>;
  readonly chosen: string;
  readonly onChoose: (count: FamilyCount) => void;
}

export function FamilyTable({ families, matches, ages, chosen, onChoose }: FamilyTableProps) {
  const at = families.counts.findIndex(({ family }) => family.id === chosen);
  const count = families.counts[at];
  return (
    <>
      <VirtualTable
        label="Families"
        columns={families.kind === 'heap' ? heapColumns(families, matches) : goroutineColumns(families, matches, ages)}
        rows={families.counts}
        rowKey={({ family }) => family.id}
        selected={at}
        onSelect={onChoose}
        empty="This profile is empty."
      />
      {count !== undefined && (
        <FamilyDetails count={count} matches={matches.get(chosen) ?? []} ages={ages.get(chosen)} why={undefined} />
      )}
    </>
  );
}

function titleColumn(matches: FamilyTableProps['matches']): Column<FamilyCount> {
  return {
    key: 'family',
    head: 'Family',
    cell: ({ family }) => (
      <>
        <KnownMark matches={matches.get(family.id)} />
        <span title={visible(family.frames.join('\n'))}>{visible(family.title)}</span>
      </>
    ),
  };
}

function goroutineColumns(
  families: Families,
  matches: FamilyTableProps['matches'],
  ages: FamilyTableProps['ages'],
): readonly Column<FamilyCount>[] {
  const spanMinutes = [...ages.values()].reduce((span, one) => Math.max(span, ageSpan(one)), 0);
  const bars = ({ family }: FamilyCount) => {
    const found = ages.get(family.id);
    return found === undefined ? '' : <AgeBars ages={found} spanMinutes={spanMinutes} />;
  };
  const state = ({ states, count }: FamilyCount): string => {
    const [most] = [...states].sort((a, b) => b[1] - a[1]);
    if (most === undefined) return '';
    return most[1] === count
      ? visible(most[0])
      : `${visible(most[0])} +${states.size - 1 || formatCount(count - most[1])}`;
  };
  const wait = ({ waitMinutes }: FamilyCount): string => {
    if (waitMinutes === undefined) return '';
    const [median, max] = [formatAge(waitMinutes.median * 60), formatAge(waitMinutes.max * 60)];
    return median === max ? median : `${median} – ${max}`;
  };
  return [
    { key: 'count', head: 'Goroutines', isNumber: true, cell: ({ count }) => formatCount(count) },
    {
      key: 'share',
      head: '%',
      isNumber: true,
      isNarrow: true,
      isMinor: true,
      cell: ({ count }) => shareText(count, families.total),
    },
    ...(families.counts.some(({ waitMinutes }) => waitMinutes !== undefined)
      ? [{ key: 'wait', head: 'Waits', title: 'Median to longest', isNumber: true, cell: wait }]
      : []),
    ...(ages.size > 0
      ? [
          {
            key: 'ages',
            head: 'Ages',
            title: 'Goroutines by how long they have waited, now on the right',
            isNumber: true,
            isMinor: true,
            cell: bars,
          },
        ]
      : []),
    ...(families.counts.some(({ states }) => states.size > 0)
      ? [{ key: 'state', head: 'State', isMinor: true, cell: state }]
      : []),
    titleColumn(matches),
  ];
}

/** Faint where so few samples tell that it may be chance. */
function KeptShare(count: FamilyCount) {
  const retention = retentionOf(count, undefined);
  if (retention === undefined) return null;
  const { liveSamples, samples, keptSites } = retention;
  const text = shareText(liveSamples, samples);
  return (
    <span class={keptSites > 0 ? '' : 'muted'} title={visible(keptPhrase(retention))}>
      {text === '' ? '0 %' : text}
    </span>
  );
}

function heapColumns(families: Families, matches: FamilyTableProps['matches']): readonly Column<FamilyCount>[] {
  return [
    { key: 'bytes', head: 'Live', isNumber: true, cell: ({ bytes }) => valueText(bytes, 'bytes') },
    { key: 'share', head: '%', isNumber: true, isNarrow: true, cell: ({ bytes }) => shareText(bytes, families.total) },
    {
      key: 'error',
      head: '±',
      title: 'Standard error, because a heap profile is a sample',
      isNumber: true,
      isMinor: true,
      cell: ({ bytesError }) => valueText(bytesError, 'bytes'),
    },
    { key: 'objects', head: 'Objects', isNumber: true, isMinor: true, cell: ({ count }) => formatCount(count) },
    ...(families.counts.some(({ sites }) => sites.length > 0)
      ? [
          {
            key: 'kept',
            head: 'Kept',
            title: 'Of all it ever allocated, the share that is live; of the sites that keep, where only some do',
            isNumber: true,
            isNarrow: true,
            isMinor: true,
            cell: KeptShare,
          },
        ]
      : []),
    titleColumn(matches),
  ];
}
