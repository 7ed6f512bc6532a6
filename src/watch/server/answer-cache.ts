/**
 * Shares answers between clients that send the same request at about the same time: after an event, every open page
 * reloads at once. An answer is kept for a second, or until an event changes its topic.
 */
import type { WatchEvent } from '../watch-model.ts';
import type { Body } from './body.ts';

const LIFE_MS = 1000;
const MAX_ANSWERS = 64;

interface Kept {
  readonly topic: string;
  readonly body: Promise<Body>;
}

export class AnswerCache {
  readonly #kept = new Map<string, Kept>();

  get(key: string, topic: string, make: () => Promise<Body>): Promise<Body> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known.body;
    if (this.#kept.size >= MAX_ANSWERS) return make();
    const kept: Kept = { topic, body: make() };
    this.#kept.set(key, kept);
    const forget = (): void => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    };
    kept.body.then(() => setTimeout(forget, LIFE_MS).unref(), forget);
    return kept.body;
  }

  /** Also drops an answer that is being made, which may have started before the event. */
  invalidate(event: WatchEvent): void {
    const topics = topicsOf(event);
    for (const [key, { topic }] of this.#kept) if (topics.includes(topic)) this.#kept.delete(key);
  }
}

function topicsOf(event: WatchEvent): readonly string[] {
  switch (event.kind) {
    case 'status':
      return ['status'];
    case 'fleet':
      return ['fleet', 'catalogue'];
    case 'target':
      return [`target ${event.target}`];
    case 'incident':
      return ['incidents', `incident ${event.id}`, 'catalogue'];
  }
}
