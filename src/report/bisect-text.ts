/** Bisections as text. */
import { formatAge, formatBytes, formatCount, formatShare, toMinute } from '../base/say.ts';
import { table } from '../base/text-layout.ts';
import { visible } from '../base/visible-text.ts';
import type {
  BisectedVersion,
  Bisection,
  ChangeSummary,
  Culprit,
  VersionBisection,
} from '../judge/bisect/bisection.ts';
import { cohortNotes } from './cohort-lines.ts';
import { named, PLAIN, type Style } from './layout.ts';

export interface BisectTextOptions {
  readonly style?: Style;
  readonly width?: number;
}

const NAME_WIDTH = 10;
const MAX_CHANGES = 8;

export function renderBisection(bisection: Bisection, options: BisectTextOptions = {}): string {
  const { style = PLAIN, width = 100 } = options;
  const place = { indent: 0, nameWidth: NAME_WIDTH, width };
  const sections: string[][] = [[style.strong(visible(bisection.sentence))]];
  for (const culprit of bisection.culprits) {
    const { verdict } = culprit;
    const [first = '', ...more] = named(verdict, [visible(culprit.sentence)], place);
    const lines = [style.verdict(verdict, verdict) + first.slice(verdict.length), ...more];
    for (const [name, texts] of culpritParts(culprit)) lines.push(...named(name, texts.map(visible), place));
    sections.push(lines);
  }
  for (const one of bisection.unproved) {
    const parts = unprovedParts(one).flatMap(([name, lines]) => named(name, lines.map(visible), place));
    sections.push([...named('UNPROVED', [visible(one.sentence)], place), ...parts]);
  }
  const changes = bisection.changes.slice(0, MAX_CHANGES).map(change => `- ${visible(changeLine(change))}`);
  if (changes.length > 0) sections.push(named('CHANGES', changes, place));
  sections.push([
    ...named('COMPARED', [comparedLine(bisection)], place),
    ...named('NOTES', bisection.notes.map(visible), place),
  ]);
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

/** The name of each part and its lines. */
export function culpritParts(culprit: Culprit): [string, string[]][] {
  const { onset, known, confirmed, next, chance, windowHours } = culprit;
  const [first, ...misses] = onset;
  const parts: [string, string[]][] = [
    [
      'CAUSE',
      confirmed.map(({ ref, title, targets }) => `- ${ref}, in the captures of ${targets.join(', ')}: ${title}`),
    ],
    [
      'SURE',
      confirmed.length > 0
        ? []
        : [`the chance of this without a leak is ${chanceText(chance)}, after ${formatAge(windowHours * 3600)}`],
    ],
    ['ONSET', first === undefined ? [] : [first.sentence]],
    ['NEAR MISS', misses.map(({ sentence }) => `- ${sentence}`)],
    ['AND', [...cohortNotes(culprit), ...notSeen(culprit)].map(note => `- ${note}`)],
    [
      'KNOWN',
      known.map(
        ({ id, ref, title, fixedIn }) =>
          `- ${ref} (${id}): ${title}${fixedIn.length === 0 ? '' : `, fixed in ${fixedIn.join(', ')}`}`,
      ),
    ],
    ['NEXT', next.map(step => `- ${step}`)],
  ];
  return parts.filter(([, lines]) => lines.length > 0);
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
export function unprovedParts(culprit: Culprit): [string, string[]][] {
  const { leaking } = culprit;
  const names = `${leaking.slice(0, NAMED).join(', ')}${leaking.length > NAMED ? ` and ${leaking.length - NAMED} more` : ''}`;
  const parts = culpritParts(culprit).filter(([name]) => name !== 'SURE');
  return leaking.length === 0 ? parts : [['GROW', [names]], ...parts];
}

const NAMED = 5;

function chanceText(chance: number): string {
  if (chance >= 0.01) return formatShare(chance);
  return chance < 1e-9 ? 'below 1 in a billion' : `1 in ${formatCount(Number((1 / chance).toPrecision(2)))}`;
}

export function changeLine({ attribute, from, to, targets, first, last }: ChangeSummary): string {
  const when = first === last ? toMinute(first) : `${toMinute(first)} to ${toMinute(last)}`;
  const count = targets === 1 ? '1 target' : `${formatCount(targets)} targets`;
  return `${attribute} ${from ?? 'none'} -> ${to ?? 'none'} on ${count}, ${when}`;
}

export function comparedLine({ compared, targetCount }: Bisection): string {
  const names = compared.map(({ attribute, valueCount }) => `${attribute} (${valueCount})`);
  const shown = names.slice(0, 20).map(visible).join(', ');
  const more = names.length > 20 ? ` and ${names.length - 20} more` : '';
  const what = names.length === 0 ? 'nothing that differs' : `${shown}${more}`;
  return `${formatCount(targetCount)} targets by ${what}`;
}

export function renderVersions(bisection: VersionBisection, { style = PLAIN, width = 100 }: BisectTextOptions): string {
  const place = { indent: 0, nameWidth: NAME_WIDTH, width };
  const [header = '', ...rows] = table(
    ['VERDICT', 'VERSION', 'GOROUTINES', 'LIVE-HEAP', 'LARGEST'],
    bisection.versions.map(one => versionCells(one).map(visible)),
  );
  const lines = rows.map((row, i) => {
    const verdict = bisection.versions[i]?.verdict ?? 'unknown';
    return style.verdict(verdict, verdict) + row.slice(verdict.length);
  });
  const sections = [[style.strong(visible(bisection.sentence))], [header, ...lines]];
  const { firstBad } = bisection;
  if (firstBad !== null) {
    const families = firstBad.families.map(({ title, owner, growth, resource }) =>
      visible(
        `- ${title}${owner === '' ? '' : ` (${owner})`}: +${resource === 'heap' ? formatBytes(growth) : formatCount(growth)}`,
      ),
    );
    sections.push([
      ...named('APPEARED', families, place),
      ...named(
        'READ',
        firstBad.read.map(line => `- ${visible(line)}`),
        place,
      ),
    ]);
  }
  return `${sections.map(part => part.join('\n')).join('\n\n')}\n`;
}

function versionCells({
  name,
  version,
  verdict,
  goroutinesGrowth,
  heapBytesGrowth,
  per,
  families,
}: BisectedVersion): string[] {
  const unit = per === 'operation' ? '/op' : '/h';
  const label = version === null || name.includes(version) ? name : `${name} (${version})`;
  return [
    verdict,
    label,
    goroutinesGrowth === null ? '-' : `${formatCount(goroutinesGrowth)}${unit}`,
    heapBytesGrowth === null ? '-' : `${formatBytes(heapBytesGrowth)}${unit}`,
    families[0]?.title ?? '-',
  ];
}
