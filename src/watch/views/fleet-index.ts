/**
 * The targets of a moment, in order and counted, without their histories: what any window of the fleet is cut from. Made
 * in slices, so that 100,000 targets block nothing, and shared by all requests until something changes.
 *
 *     items -> worst first -> by name, level, ... -> those that match a filter -> window
 */
import type { FleetCohorts, FleetQuery, FleetSort } from './fleet.ts';
import { CohortCounts, FleetTotals, type FleetEntry, valueOf } from './fleet-totals.ts';
import { eachInSlices, sortedInSlices } from '../../base/bounded-work.ts';
import { VERDICTS } from '../../judge/verdict.ts';

/** Some milliseconds of work. */
const SLICE = 1000;
/** Lists of what matches that are kept: someone who scrolls asks for the same one again and again. */
const MAX_KEPT = 16;
const MAX_VALUES = 100;

export class FleetIndex<Item extends FleetItem = FleetItem> {
  readonly totals: FleetTotals;
  /** Worst first. */
  readonly items: readonly Item[];
  readonly #orders = new Map<FleetSort, Promise<readonly Item[]>>();
  readonly #matching = new Map<string, Promise<readonly Item[]>>();
  readonly #cohorts = new Map<string, Promise<CohortCounts>>();

  private constructor(items: readonly Item[], totals: FleetTotals) {
    this.items = items;
    this.totals = totals;
  }

  /** Items in any order; what is almost in order is sorted fastest. */
  static async of<Item extends FleetItem>(items: readonly Item[]): Promise<FleetIndex<Item>> {
    const totals = new FleetTotals();
    await eachInSlices(items, SLICE, ({ entry }) => totals.add(entry));
    return new FleetIndex(await sortedInSlices(items, byWeight), totals);
  }

  /** What the filter keeps, in the order that was asked for. */
  matching({ search, verdicts, is, sort }: FleetFilter & Pick<FleetQuery, 'sort'>): Promise<readonly Item[]> {
    const matches = matcher({ search, verdicts, is });
    if (matches === undefined) return this.#inOrder(sort);
    return kept(this.#matching, JSON.stringify([search, verdicts, is, sort]), MAX_KEPT, async () => {
      const found: Item[] = [];
      await eachInSlices(await this.#inOrder(sort), SLICE, item => {
        if (matches(item)) found.push(item);
      });
      return found;
    });
  }

  /** The values of an attribute over all items; `wanted` are always among them. */
  async cohorts(attribute: string, wanted: ReadonlySet<string>): Promise<FleetCohorts> {
    const counts = await kept(this.#cohorts, attribute, MAX_KEPT, async () => {
      const made = new CohortCounts(attribute);
      await eachInSlices(this.items, SLICE, ({ entry }) => made.add(entry));
      return made;
    });
    return counts.view(MAX_VALUES, wanted);
  }

  #inOrder(sort: FleetSort): Promise<readonly Item[]> {
    return kept(this.#orders, sort, Infinity, async () =>
      sort === 'worst' ? this.items : sortedInSlices(this.items, orderOf(sort)),
    );
  }
}

/** The oldest makes room. */
function kept<T>(cache: Map<string, Promise<T>>, key: string, most: number, make: () => Promise<T>): Promise<T> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const [oldest] = cache.keys();
  if (cache.size >= most && oldest !== undefined) cache.delete(oldest);
  const made = make();
  cache.set(key, made);
  return made;
}

/** The orders of the fleet, and which of its items a query keeps. Unknown values come last in every order. */

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
function byWeight(a: FleetItem, b: FleetItem): number {
  return (
    a.rank - b.rank || compareNumbers(a.hoursToLimit, b.hoursToLimit) || (a.entry.target < b.entry.target ? -1 : 1)
  );
}

/** How items that are in order of weight are sorted instead. */
function orderOf(sort: Exclude<FleetSort, 'worst'>): (a: FleetItem, b: FleetItem) => number {
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

type FleetFilter = Pick<FleetQuery, 'search' | 'verdicts' | 'is'>;

/** Undefined if everything matches. */
function matcher({ search, verdicts, is }: FleetFilter): ((item: FleetItem) => boolean) | undefined {
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
