/**
 * What watch has concluded, event by event, as it happened and in the words of the pages. A demo shows it.
 *
 *     19:57:03  node/leak-b  watch: live heap grows 46.4 MiB/h, at 50 pods; limit in 57m to 3h16m
 *     19:57:06  node/leak-b  confirmed as kubernetes#139823: A context stays behind after every pod sync
 */
import type { StoryEvent } from '../watch-model.ts';

const MAX_EVENTS = 200;

export class Story {
  #events: readonly StoryEvent[] = [];
  readonly #said = new Map<string, string>();

  get events(): readonly StoryEvent[] {
    return this.#events;
  }

  /** Samples are older than what is concluded from them: no event is told at a time before that of the last one. */
  toldAt(at: number): number {
    return Math.max(at, this.#events.at(-1)?.at ?? at);
  }

  add(event: StoryEvent): void {
    this.#events = [...this.#events, event].slice(-MAX_EVENTS);
  }

  /** True if this is another state of `about` than the last one that was told. */
  isNew(about: string, state: string): boolean {
    if (this.#said.get(about) === state) return false;
    this.#said.set(about, state);
    return true;
  }
}
