/** The fleet: what is known about all of it, and one window of its rows. */
import type { Attributes } from '../../evidence/target.ts';
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import type { TargetCause } from '../watch-model.ts';
import { entryOf, fleetSentence } from './fleet-totals.ts';
import { type FleetQuery, type FleetRow, type FleetView, WHOLE_FLEET } from './fleet.ts';
import { compareVerdicts, mayLeak } from '../../judge/verdict.ts';
import { targetSentence } from '../incidents/phrases.ts';
import { isSelf, type WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { FleetIndex, FleetItem } from './fleet-index.ts';
import { rowOf } from './fleet-rows.ts';
import { binsOf, causeOf } from './target-view.ts';
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

/** From so many targets on, an index serves more than one request. */
const LARGE_FLEET = 1000;
/** What is not worth an event, such as a new target, shows after so long. */
const KEPT_SECONDS = 10;
/** Some milliseconds of work. */
const INDEX_SLICE = 500;

type IndexedState = Pick<WatchState, 'targets' | 'incidents' | 'ports'>;

/** Remembers what its entry was made from: while all of that is the same, so is the entry. */
class TargetItem extends FleetItem {
  readonly #target: WatchedTarget;
  readonly #verdict: TargetVerdict | undefined;
  readonly #attributes: Attributes;
  readonly #incidentId: string | undefined;
  readonly #cause: TargetCause | null | undefined;
  readonly #hasAnswered: boolean;

  constructor(state: IndexedState, target: WatchedTarget, before?: TargetItem) {
    super(entryOf(target), () => causeOf(state, target)?.text ?? '', before);
    this.#target = target;
    this.#verdict = target.verdict;
    this.#attributes = target.attributes;
    this.#incidentId = target.incidentId;
    this.#cause = causeOfIncident(state, target);
    this.#hasAnswered = target.samples.lastAt !== undefined;
  }

  isCurrent(state: IndexedState, target: WatchedTarget): boolean {
    return (
      this.#target === target &&
      this.#verdict === target.verdict &&
      this.#attributes === target.attributes &&
      this.#incidentId === target.incidentId &&
      this.#cause === causeOfIncident(state, target) &&
      this.#hasAnswered === (target.samples.lastAt !== undefined)
    );
  }
}

function causeOfIncident({ incidents }: IndexedState, { incidentId }: WatchedTarget): TargetCause | null | undefined {
  return incidents.ofTarget(incidentId)?.subject.cause;
}

/**
 * The index of the fleet as it is now: made when someone asks, from what is known of the last one. In a large fleet it
 * serves every request until the fleet changes, or for some seconds.
 */
class FleetIndexes {
  readonly #state: IndexedState;
  #index: Promise<FleetIndex<TargetItem>> | undefined;
  #madeAt = -Infinity;
  /** Whether the index reads the targets already; one that waits for another will see every change. */
  #hasBegun = false;
  #last: readonly TargetItem[] = [];

  constructor(state: IndexedState) {
    this.#state = state;
  }

  /** Something about the fleet has changed. */
  forget(): void {
    if (this.#hasBegun) this.#madeAt = -Infinity;
  }

  current(): Promise<FleetIndex<TargetItem>> {
    const { targets, ports } = this.#state;
    const age = ports.clock.now() - this.#madeAt;
    const isKept = !this.#hasBegun || (targets.size >= LARGE_FLEET && age < KEPT_SECONDS);
    if (this.#index !== undefined && isKept) return this.#index;
    this.#hasBegun = false;
    this.#index = this.#make(this.#index);
    return this.#index;
  }

  /** One at a time, however many events there are. */
  async #make(before: Promise<FleetIndex<TargetItem>> | undefined): Promise<FleetIndex<TargetItem>> {
    await before;
    const { targets, ports } = this.#state;
    this.#hasBegun = true;
    this.#madeAt = ports.clock.now();
    const items: TargetItem[] = [];
    // In the last order, which is mostly the next one, too.
    await eachInSlices(this.#last, INDEX_SLICE, item => {
      const target = targets.get(item.entry.target);
      if (target === undefined) return;
      items.push(item.isCurrent(this.#state, target) ? item : new TargetItem(this.#state, target, item));
    });
    const names = new Set(items.length === targets.size ? [] : items.map(({ entry }) => entry.target));
    const others = items.length === targets.size ? [] : [...targets.values()].filter(({ name }) => !names.has(name));
    await eachInSlices(others, INDEX_SLICE, target => items.push(new TargetItem(this.#state, target)));
    const index = await FleetIndex.of(items);
    this.#last = index.items;
    return index;
  }
}
