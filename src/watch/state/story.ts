/**
 * What watch has concluded, event by event, as it happened and in the words of the pages. A demo shows it.
 *
 *     19:57:03  node/leak-b  watch: live heap grows 46.4 MiB/h, at 50 pods; limit in 57m to 3h16m
 *     19:57:06  node/leak-b  confirmed as kubernetes#139823: A context stays behind after every pod sync
 */
import type { StoryEvent, WatchStatus } from '../watch-model.ts';

const MAX_EVENTS = 200;

export class Story {
  #events: readonly StoryEvent[] = [];
  readonly #states = new Map<string, string>();

  get events(): readonly StoryEvent[] {
    return this.#events;
  }

  /** Samples are older than what is concluded from them: no event has a time before that of the last one. */
  eventTime(at: number): number {
    return Math.max(at, this.#events.at(-1)?.at ?? at);
  }

  add(event: StoryEvent): void {
    this.#events = [...this.#events, event].slice(-MAX_EVENTS);
  }

  /** True if this is another state of `about` than at the last event. */
  isNew(about: string, state: string): boolean {
    if (this.#states.get(about) === state) return false;
    this.#states.set(about, state);
    return true;
  }
}

/** What is needed to say something: the terminal, and the story of a demo. */
interface Narrated {
  readonly ports: { readonly log: (line: string) => void };
  readonly options: { readonly mode: WatchStatus['mode'] };
  readonly story: Story;
  readonly targets: ReadonlyMap<string, { readonly incidentId: string | undefined }>;
}

/** Logs `19:57:20 node/worker-17 what happened`; a demo shows the same on its pages. */
export function logEvent({ ports, options, story, targets }: Narrated, at: number, target: string, text: string): void {
  const eventTime = story.eventTime(at);
  ports.log(`${clockText(eventTime)} ${target} ${text}`);
  if (options.mode !== 'demo') return;
  story.add({ at: eventTime, kind: 'event', target, incidentId: targets.get(target)?.incidentId ?? null, text });
}

/** The same about the whole fleet. */
export function logFleetEvent({ ports, options, story }: Narrated, event: Omit<StoryEvent, 'target'>): void {
  const at = story.eventTime(event.at);
  ports.log(`${clockText(at)} ${event.text}`);
  if (options.mode === 'demo') story.add({ ...event, at, target: null });
}

function clockText(at: number): string {
  return new Date(at * 1000).toISOString().slice(11, 19);
}
