/**
 * What each target is, since when, and what it was before.
 *
 *     describe('node-1', { version: 'v1.35.7' })   at 10:00
 *     describe('node-1', { version: 'v1.36.0' })   at 14:00   ->  change version v1.35.7 -> v1.36.0 at 14:00
 */
import type { AttributeChange } from './cohort-model.ts';
import type { Attributes } from '../../evidence/target.ts';

export interface AttributeState {
  /** '' if it had one before and has none now. */
  readonly value: string;
  /** -Infinity if it was there from the first description on: it may be much older. */
  readonly sinceSeconds: number;
}

/** A target that changes more often than this is described wrongly; the oldest changes are forgotten. */
const MAX_CHANGES = 64;

export class AttributeLog {
  readonly #targets = new Map<string, Map<string, AttributeState>>();
  readonly #changes = new Map<string, AttributeChange[]>();

  /**
   * Attributes that are not named stay as they are; an empty value means that the target has none any more. What is
   * seen of a target for the first time was there before, and so is what comes without a finite time.
   */
  describe(target: string, attributes: Attributes, atSeconds: number): readonly AttributeChange[] {
    let states = this.#targets.get(target);
    if (states === undefined) this.#targets.set(target, (states = new Map<string, AttributeState>()));
    const changes: AttributeChange[] = [];
    for (const [attribute, value] of Object.entries(attributes)) {
      const before = states.get(attribute);
      if (before?.value === value || (before === undefined && value === '')) continue;
      const isOld = before === undefined || !Number.isFinite(atSeconds);
      states.set(attribute, { value, sinceSeconds: isOld ? -Infinity : atSeconds });
      if (isOld) continue;
      const [from, to] = [before.value, value].map(text => (text === '' ? undefined : text));
      changes.push({ target, attribute, from, to, atSeconds });
    }
    if (changes.length > 0) this.#keep(target, changes);
    return changes;
  }

  #keep(target: string, changes: readonly AttributeChange[]): void {
    const kept = this.#changes.get(target) ?? [];
    kept.push(...changes);
    this.#changes.set(target, kept.slice(-MAX_CHANGES));
  }

  forget(target: string): void {
    this.#targets.delete(target);
    this.#changes.delete(target);
  }

  attributesOf(target: string): ReadonlyMap<string, AttributeState> | undefined {
    return this.#targets.get(target);
  }

  changesOf(target: string): readonly AttributeChange[] {
    return this.#changes.get(target) ?? [];
  }

  /** Every attribute that some target has, sorted. */
  names(): readonly string[] {
    const names = new Set<string>();
    for (const states of this.#targets.values()) for (const name of states.keys()) names.add(name);
    return [...names].sort();
  }
}
