/** The fleet: what is known about all of it, and one window of its rows. */
import { type FleetQuery, type FleetRow, type FleetView, WHOLE_FLEET } from './fleet.ts';
import { compareVerdicts, mayLeak } from '../../judge/verdict.ts';
import { targetSentence } from '../incidents/phrases.ts';
import { isSelf } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { FleetIndex } from './fleet-index.ts';
import { FleetIndexes } from './fleet-indexes.ts';
import type { FleetItem } from './fleet-order.ts';
import { rowOf } from './fleet-row.ts';
import { fleetSentence } from './fleet-sentence.ts';
import { binsOf } from '../views/target-view.ts';
import { eachInSlices } from '../../base/bounded-work.ts';

/** Rows that are made at once: some milliseconds of work. */
const SLICE = 100;
/** Those that the headline is about. */
const NAMED = 5;
export class FleetViews {
  readonly #state: WatchState;
  readonly #indexes: FleetIndexes;

  constructor(state: WatchState) {
    this.#state = state;
    this.#indexes = new FleetIndexes(state);
  }

  /** Something about the fleet has changed. */
  forget(): void {
    this.#indexes.forget();
  }

  async view(hours: number, asked: Partial<FleetQuery> = {}): Promise<FleetView> {
    const state = this.#state;
    const query: FleetQuery = { ...WHOLE_FLEET, ...asked };
    const index = await this.#indexes.current();
    const matching = await index.matching(query);
    const { totals } = index;
    const suspected = suspectedAttributes(state);
    const attributes = [...new Set([...totals.attributes(), ...suspected])];
    const by = attributes.includes(query.by) ? query.by : (suspected[0] ?? attributes[0]);
    const wanted = new Set(query.is.flatMap(([key, value]) => (key === by ? [value] : [])));
    const cohorts = by === undefined ? null : await index.cohorts(by, wanted);
    const now = state.ports.clock.now();
    const bins = binsOf(state, hours, now);
    const rowFor = ({ entry: { target: name } }: FleetItem): FleetRow | undefined => {
      const target = state.targets.get(name);
      return target === undefined ? undefined : rowOf(state, target, bins, now);
    };
    const rows: FleetRow[] = [];
    await eachInSlices(matching.slice(query.offset, query.offset + query.limit), SLICE, item => {
      const row = rowFor(item);
      if (row !== undefined) rows.push(row);
    });
    const place = query.find === '' ? -1 : matching.findIndex(({ entry }) => entry.target === query.find);
    const found = matching[place] === undefined ? undefined : rowFor(matching[place]);
    return {
      schema: 'oakum.fleet/v1',
      at: now,
      sentence: fleetSentence(state, totals),
      counts: totals.counts,
      leaking: this.#worstLeaks(index, now),
      attributes,
      cohorts,
      bins,
      total: index.items.length,
      matching: matching.length,
      offset: query.offset,
      rows,
      found: found === undefined ? null : { index: place, row: found },
    };
  }

  #worstLeaks({ items }: FleetIndex, now: number): FleetView['leaking'] {
    const leaking: { target: string; reason: string }[] = [];
    for (const { entry } of items) {
      if (entry.verdict !== 'leak' || leaking.length === NAMED) break;
      const target = isSelf(entry.target) ? undefined : this.#state.targets.get(entry.target);
      if (target !== undefined) leaking.push({ target: target.name, reason: targetSentence(target, now) });
    }
    return leaking;
  }
}

/** Attributes that come with growth, the worst first; some of them, such as feature gates, no row shows. */
export function suspectedAttributes({ cohorts }: Pick<WatchState, 'cohorts'>): string[] {
  const suspects = cohorts.filter(({ verdict }) => mayLeak(verdict));
  return [...new Set(suspects.toSorted((a, b) => compareVerdicts(a.verdict, b.verdict)).map(one => one.attribute))];
}
