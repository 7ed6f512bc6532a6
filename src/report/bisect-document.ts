/** Bisections: what comes with the growth, what changed, and what was compared. */
import { formatAge, formatBytes, formatCount, formatShare, toMinute } from '../base/say.ts';
import { visible } from '../base/visible-text.ts';
import type { Bisection, ChangeSummary, Culprit, VersionBisection } from '../judge/bisect/bisection.ts';
import { cohortNotes } from './cohort-lines.ts';
import type { Block, Document, Fact, Words } from './document.ts';

const MAX_CHANGES = 8;

export function bisectionDocument(bisection: Bisection): Document {
  const changes = bisection.changes.map(changeLine);
  const compared = comparedLine(bisection);
  return [
    [{ kind: 'title', level: 2, words: bisection.sentence }],
    ...bisection.culprits.map(culprit => {
      const { verdict, sentence } = culprit;
      const name = { verdict, tag: verdict };
      return [factBlock({ name, title: verdict, values: [sentence], markdown: 'paragraph' }, ...culpritFacts(culprit))];
    }),
    ...bisection.unproved.map(one => {
      const head = { name: 'UNPROVED', title: 'not proved', values: [one.sentence], markdown: 'paragraph' } as const;
      return [factBlock(head, ...unprovedFacts(one))];
    }),
    [
      factBlock(
        { name: 'CHANGES', only: 'text', values: changes.slice(0, MAX_CHANGES), listed: true },
        { name: 'Changes', only: 'markdown', values: changes, markdown: 'list' },
      ),
    ],
    [
      {
        ...factBlock({ name: 'COMPARED', values: [compared] }, { name: 'NOTES', values: bisection.notes }),
        only: 'text',
      },
      { kind: 'line', only: 'markdown', words: `Compared: ${compared}.` },
    ],
  ];
}

function factBlock(...facts: Fact[]): Block {
  return { kind: 'facts', indent: 0, nameWidth: 10, facts };
}

function culpritFacts(culprit: Culprit): Fact[] {
  const { onset, known, confirmed, next, chance, windowHours } = culprit;
  const [first, ...misses] = onset;
  const sure = `the chance of this without a leak is ${chanceText(chance)}, after ${formatAge(windowHours * 3600)}`;
  const list = { listed: true, markdown: 'each' } as const;
  return [
    {
      name: 'CAUSE',
      values: confirmed.map(({ ref, title, targets }) => `${ref}, in the captures of ${targets.join(', ')}: ${title}`),
      ...list,
    },
    { name: 'SURE', values: confirmed.length > 0 ? [] : [sure], markdown: 'each' },
    { name: 'ONSET', values: first === undefined ? [] : [first.sentence], markdown: 'each' },
    { name: 'NEAR MISS', values: misses.map(({ sentence }) => sentence), ...list },
    { name: 'AND', values: [...cohortNotes(culprit), ...notSeen(culprit)], ...list },
    {
      name: 'KNOWN',
      values: known.map(
        ({ id, ref, title, fixedIn }) =>
          `${ref} (${id}): ${title}${fixedIn.length === 0 ? '' : `, fixed in ${fixedIn.join(', ')}`}`,
      ),
      ...list,
    },
    { name: 'NEXT', values: next, ...list },
  ];
}

/** Targets that speak against a cause, or only leak too slowly for profiles to show it. */
function notSeen({ confirmed }: Culprit): string[] {
  return confirmed
    .filter(({ notSeenOn }) => notSeenOn.length > 0)
    .map(({ ref, notSeenOn }) => {
      const more = notSeenOn.length > NAMED ? ` and ${notSeenOn.length - NAMED} more` : '';
      const [have, them] = notSeenOn.length === 1 ? ['has', 'it'] : ['have', 'them'];
      return `against: ${notSeenOn.slice(0, NAMED).join(', ')}${more} ${have} the version, and no capture of ${them} shows ${ref}`;
    });
}

/** For what is likely and not proved: who speaks for it, instead of how sure it is. */
function unprovedFacts(culprit: Culprit): Fact[] {
  const { leaking } = culprit;
  const names = `${leaking.slice(0, NAMED).join(', ')}${leaking.length > NAMED ? ` and ${leaking.length - NAMED} more` : ''}`;
  const grow: Fact = { name: 'GROW', values: leaking.length === 0 ? [] : [names], markdown: 'each' };
  return [grow, ...culpritFacts(culprit).filter(({ name }) => name !== 'SURE')];
}

const NAMED = 5;

function chanceText(chance: number): string {
  if (chance >= 0.01) return formatShare(chance);
  return chance < 1e-9 ? 'below 1 in a billion' : `1 in ${formatCount(Number((1 / chance).toPrecision(2)))}`;
}

function changeLine({ attribute, from, to, targets, first, last }: ChangeSummary): string {
  const when = first === last ? toMinute(first) : `${toMinute(first)} to ${toMinute(last)}`;
  const count = targets === 1 ? '1 target' : `${formatCount(targets)} targets`;
  return `${attribute} ${from ?? 'none'} -> ${to ?? 'none'} on ${count}, ${when}`;
}

function comparedLine({ compared, targetCount }: Bisection): string {
  const names = compared.map(({ attribute, valueCount }) => `${attribute} (${valueCount})`);
  const shown = names.slice(0, 20).map(visible).join(', ');
  const more = names.length > 20 ? ` and ${names.length - 20} more` : '';
  const what = names.length === 0 ? 'nothing that differs' : `${shown}${more}`;
  return `${formatCount(targetCount)} targets by ${what}`;
}

export function versionsDocument({ sentence, versions, firstBad }: VersionBisection): Document {
  return [
    [{ kind: 'title', level: 2, words: sentence }],
    versionTables(versions),
    ...(firstBad === null ? [] : [firstBadBlocks(firstBad)]),
  ];
}

/** Text has the largest family as well; Markdown spells the unit out. */
function versionTables(versions: VersionBisection['versions']): Block[] {
  const growth = (value: number | null, format: (value: number) => string): string | null =>
    value === null ? null : format(value);
  const [text, markdown]: [Words[][], Words[][]] = [[], []];
  for (const { name, version, verdict, goroutinesGrowth, heapBytesGrowth, per, families } of versions) {
    const label = version === null || name.includes(version) ? name : `${name} (${version})`;
    const values = [growth(goroutinesGrowth, formatCount), growth(heapBytesGrowth, formatBytes)];
    const short = values.map(value => (value === null ? '-' : `${value}${per === 'operation' ? '/op' : '/h'}`));
    const long = values.map(value => ({ own: value === null ? '' : `${value} per ${per}` }));
    text.push([{ verdict, tag: verdict }, label, ...short, families[0]?.title ?? '-']);
    markdown.push([{ code: name }, verdict, ...long]);
  }
  const columns = (...names: string[]): { name: string }[] => names.map(name => ({ name }));
  return [
    {
      kind: 'table',
      only: 'text',
      columns: columns('verdict', 'version', 'goroutines', 'live-heap', 'largest'),
      rows: text,
    },
    {
      kind: 'table',
      only: 'markdown',
      columns: columns('version', 'verdict', 'goroutines', 'live heap'),
      rows: markdown,
      spaced: true,
    },
  ];
}

function firstBadBlocks({ families, read }: NonNullable<VersionBisection['firstBad']>): Block[] {
  const grown = families.map(({ title, owner, growth, resource }) => {
    const amount = resource === 'heap' ? formatBytes(growth) : formatCount(growth);
    return `${title}${owner === '' ? '' : ` (${owner})`}: +${amount}`;
  });
  const list = { listed: true, markdown: 'each' } as const;
  return [
    factBlock(
      { name: 'APPEARED', only: 'text', values: grown, ...list },
      {
        name: 'appeared',
        only: 'markdown',
        values: families.map(({ title, owner }) => `${title} (${owner})`),
        ...list,
      },
      { name: 'READ', values: read, ...list },
    ),
  ];
}
