/**
 * The targets of a moment, in order and counted, without their histories: what any window of the fleet is cut from. Made
 * in slices, so that 100,000 targets block nothing, and shared by all requests until something changes.
 *
 *     items -> worst first -> by name, level, ... -> those that match a filter -> window
 */
import type { FleetCohorts, FleetQuery, FleetSort } from './fleet.ts';
import { byWeight, type FleetFilter, type FleetItem, matcher, orderOf } from './fleet-order.ts';
import { CohortCounts, FleetTotals } from './fleet-totals.ts';
import { eachInSlices, sortedInSlices } from '../../base/bounded-work.ts';

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
