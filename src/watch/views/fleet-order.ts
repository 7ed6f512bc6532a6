/** The orders of the fleet, and which of its items a query keeps. Unknown values come last in every order. */
import type { FleetQuery, FleetSort } from './fleet.ts';
import { VERDICTS } from '../../judge/verdict.ts';
import { type FleetEntry, valueOf } from './fleet-entry.ts';

/** An entry with what it is sorted and searched by, which is made when it is first needed. */
export class FleetItem {
  readonly entry: FleetEntry;
  readonly rank: number;
  /** Infinity if no limit is in sight. */
  readonly hoursToLimit: number;
  readonly #causeText: () => string;
  /** What seldom changes, and what every judgement may. */
  #lastingText: string | undefined;
  #presentText: string | undefined;
  #naturalName: string | undefined;

  /** `before`: an earlier item of the same target. */
  constructor(entry: FleetEntry, causeText: () => string, before?: FleetItem) {
    this.entry = entry;
    this.rank = VERDICTS.indexOf(entry.verdict);
    this.hoursToLimit = entry.timeToLimitHours?.[0] ?? Infinity;
    this.#causeText = causeText;
    if (before === undefined) return;
    this.#naturalName = before.#naturalName;
    if (before.entry.attributes === entry.attributes) this.#lastingText = before.#lastingText;
  }

  /** Whether a field has the word, which is in lower case. */
  has(word: string): boolean {
    const { target, attributes, verdict, resource } = this.entry;
    this.#lastingText ??= inLines(target, ...Object.values(attributes));
    if (this.#lastingText.includes(word)) return true;
    this.#presentText ??= inLines(verdict, resource ?? '', this.#causeText());
    return this.#presentText.includes(word);
  }

  /** Sorts numbers in names by their value: `worker-2` before `worker-10`. */
  get naturalName(): string {
    return (this.#naturalName ??= naturalKey(this.entry.target));
  }
}

/** No word has a line break, so none is found across two fields. */
function inLines(...fields: readonly string[]): string {
  return fields.join('\n').toLowerCase();
}

/** Before each number its length, so that texts compare as numbers do; a collator takes ten times as long. */
function naturalKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/0*(\d+)/g, (_, digits: string) => String.fromCharCode(48 + digits.length) + digits);
}

/** Worst first, then by time to the limit, then by name: no two are equal. */
export function byWeight(a: FleetItem, b: FleetItem): number {
  return (
    a.rank - b.rank || compareNumbers(a.hoursToLimit, b.hoursToLimit) || (a.entry.target < b.entry.target ? -1 : 1)
  );
}

/** How items that are in order of weight are sorted instead. */
export function orderOf(sort: Exclude<FleetSort, 'worst'>): (a: FleetItem, b: FleetItem) => number {
  switch (sort) {
    case 'name':
      return (a, b) => {
        const [x, y] = [a.naturalName, b.naturalName];
        return x < y ? -1 : x > y ? 1 : a.entry.target < b.entry.target ? -1 : 1;
      };
    case 'limit':
      return (a, b) => compareNumbers(a.hoursToLimit, b.hoursToLimit);
    case 'level':
      return (a, b) => compareNumbers(b.entry.level ?? -Infinity, a.entry.level ?? -Infinity);
    case 'slope':
      return (a, b) => compareNumbers(b.entry.slopePerHour ?? -Infinity, a.entry.slopePerHour ?? -Infinity);
  }
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type FleetFilter = Pick<FleetQuery, 'search' | 'verdicts' | 'is'>;

/** Undefined if everything matches. */
export function matcher({ search, verdicts, is }: FleetFilter): ((item: FleetItem) => boolean) | undefined {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
  if (words.length === 0 && verdicts.length === 0 && is.length === 0) return undefined;
  return item => {
    if (verdicts.length > 0 && !verdicts.includes(item.entry.verdict)) return false;
    if (!is.every(([key, value]) => valueOf(item.entry, key) === value)) return false;
    return words.every(word => item.has(word));
  };
}
