/**
 * The catalogue as its page and the API show it; the same with a server, which knows the fleet, and without.
 *
 *     viewOfLeaks(BUNDLED_LEAKS).sentence                                 '150 known leaks; 3 reports are unconfirmed.'
 *     viewOfLeaks(BUNDLED_LEAKS, ref => targetsByRef.get(ref)).sentence   '150 known leaks, 1 matches this fleet; 3 reports are unconfirmed.'
 */
import { formatCount } from '../base/say.ts';
import type { KnownLeak } from './known-leak.ts';
import { refUrl } from './refs.ts';
import { rangeText } from './version.ts';

/** The targets that match what is known under a reference such as `kubernetes#139823`. */
export type TargetsOfRef = (ref: string) => Iterable<string> | undefined;

type Entry = CatalogueView['leaks'][number];

/** The fleet page has them all. */
const MAX_TARGETS = 100;

/** Unconfirmed reports are kept so that nobody looks for them twice; they come last, are no known leaks, and match nothing. */
export function viewOfLeaks(leaks: readonly KnownLeak[], targetsOf?: TargetsOfRef): CatalogueView {
  const confirmed = leaks.filter(({ status }) => status === 'confirmed').map(leak => entryOf(leak, targetsOf));
  const unconfirmed = leaks.filter(({ status }) => status === 'unconfirmed').map(leak => entryOf(leak, undefined));
  const known = `${formatCount(confirmed.length)} known ${confirmed.length === 1 ? 'leak' : 'leaks'}`;
  return {
    schema: 'oakum.catalogue/v1',
    sentence: `${known}${targetsOf === undefined ? '' : `, ${matchPhrase(confirmed)} this fleet`}${reportsPhrase(unconfirmed.length)}.`,
    leaks: [...confirmed, ...unconfirmed],
  };
}

/** The list has them, too: the numbers must add up. */
function reportsPhrase(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '; 1 report is unconfirmed' : `; ${formatCount(count)} reports are unconfirmed`;
}

function entryOf(leak: KnownLeak, targetsOf: TargetsOfRef | undefined): Entry {
  const targets = [...new Set(leak.refs.flatMap(ref => [...(targetsOf?.(ref) ?? [])]))].sort();
  return {
    id: leak.id,
    title: leak.title,
    component: leak.component,
    grade: gradeOf(leak),
    affected: leak.affected.map(rangeText).join('; ') || 'not recorded',
    fixedIn: leak.fixedIn,
    references: leak.refs.map(ref => refUrl(ref) ?? ref),
    // The notes of an unconfirmed report say what it lacks.
    summary: (leak.status === 'unconfirmed' && leak.notes) || leak.trigger,
    targets: targets.slice(0, MAX_TARGETS),
    targetCount: targets.length,
  };
}

function gradeOf({ status, signatures }: KnownLeak): string {
  if (status === 'unconfirmed') return 'unconfirmed';
  if (signatures.length === 0) return 'no-stacks';
  return signatures.some(({ evidence }) => evidence === 'seen') ? 'seen' : 'from-fix';
}

function matchPhrase(entries: readonly Entry[]): string {
  const found = entries.filter(({ targetCount }) => targetCount > 0).length;
  return found === 0 ? 'none matches' : found === 1 ? '1 matches' : `${formatCount(found)} match`;
}

export interface CatalogueView {
  readonly schema: 'oakum.catalogue/v1';
  readonly sentence: string;
  readonly leaks: readonly {
    readonly id: string;
    readonly title: string;
    readonly component: string;
    readonly grade: string;
    readonly affected: string;
    readonly fixedIn: readonly string[];
    readonly references: readonly string[];
    readonly summary: string;
    /** Targets of this fleet that match it: some of their names, and how many there are. */
    readonly targets: readonly string[];
    readonly targetCount: number;
  }[];
}
