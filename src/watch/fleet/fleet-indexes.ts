/**
 * The index of the fleet as it is now: made when someone asks, from what is known of the last one. In a large fleet it
 * serves every request until the fleet changes, or for some seconds.
 */
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import type { TargetCause } from '../watch-model.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { entryOf } from './fleet-entry.ts';
import { FleetIndex } from './fleet-index.ts';
import { FleetItem } from './fleet-order.ts';
import type { Attributes } from '../../evidence/target.ts';
import { causeOf } from '../views/target-view.ts';
import { eachInSlices } from '../../base/bounded-work.ts';

/** From so many targets on, an index serves more than one request. */
const LARGE_FLEET = 1000;
/** What is not worth an event, such as a new target, shows after so long. */
const KEPT_SECONDS = 10;
/** Some milliseconds of work. */
const SLICE = 500;

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

export class FleetIndexes {
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
    await eachInSlices(this.#last, SLICE, item => {
      const target = targets.get(item.entry.target);
      if (target === undefined) return;
      items.push(item.isCurrent(this.#state, target) ? item : new TargetItem(this.#state, target, item));
    });
    const names = new Set(items.length === targets.size ? [] : items.map(({ entry }) => entry.target));
    const others = items.length === targets.size ? [] : [...targets.values()].filter(({ name }) => !names.has(name));
    await eachInSlices(others, SLICE, target => items.push(new TargetItem(this.#state, target)));
    const index = await FleetIndex.of(items);
    this.#last = index.items;
    return index;
  }
}
