/** The pods on a node, kept up to date by a watch. Where pods may not be watched, they are listed again and again. */
import type { JsonRecord } from '../../base/json.ts';
import { podFacts } from '../plan/pod-facts.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ClusterActions, Outcome } from '../../live/cluster-actions.ts';

const WATCH_SECONDS = 300;
const LIST_PAUSE_SECONDS = 5;

export class NodePods {
  readonly #actions: ClusterActions;
  readonly #clock: WatchClock;
  readonly #node: string;
  readonly #pods = new Map<string, JsonRecord>();
  readonly #waiting = new Set<() => void>();
  #version = '';
  #mayWatch = true;
  #failure: Exclude<Outcome, { kind: 'done' }> | undefined;

  constructor(actions: ClusterActions, clock: WatchClock, node: string) {
    this.#actions = actions;
    this.#clock = clock;
    this.#node = node;
  }

  get pods(): readonly JsonRecord[] {
    return [...this.#pods.values()];
  }

  get(uid: string): JsonRecord | undefined {
    return this.#pods.get(uid);
  }

  /** Why the last list failed; undefined after one that succeeded. */
  get failure(): Exclude<Outcome, { kind: 'done' }> | undefined {
    return this.#failure;
  }

  /** Everything anew; false if that failed. */
  async list(): Promise<boolean> {
    const listed = await this.#actions.podsOn(this.#node);
    this.#failure = listed.kind === 'done' ? undefined : listed;
    if (listed.kind === 'done') {
      this.#pods.clear();
      for (const pod of listed.value.items) this.#pods.set(podFacts(pod).uid, pod);
      this.#version = listed.value.version;
    }
    this.#wake();
    return listed.kind === 'done';
  }

  /** Follows changes until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#mayWatch && this.#version !== '' && this.#failure === undefined) {
        const from = this.#clock.now();
        const watched = await this.#actions.watchPodsOn(this.#node, {
          version: this.#version,
          seconds: WATCH_SECONDS,
          signal,
          onChange: ({ type, object }) => {
            const { uid } = podFacts(object);
            if (type === 'DELETED') this.#pods.delete(uid);
            else this.#pods.set(uid, object);
            this.#wake();
          },
        });
        if (signal.aborted) return;
        if (watched.kind === 'refused' && watched.status === 403) this.#mayWatch = false;
        // A server that ends watches at once must not be asked without a pause.
        if (this.#clock.now() - from < LIST_PAUSE_SECONDS) await this.#clock.sleep(1, signal);
      } else await this.#clock.sleep(LIST_PAUSE_SECONDS, signal);
      if (!signal.aborted) await this.list();
    }
  }

  /** Resolves at the next change, after so many seconds, or when the signal aborts. */
  async changed(seconds: number, signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    const stop = (): void => done.abort();
    this.#waiting.add(stop);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await this.#clock.sleep(seconds, done.signal);
    signal.removeEventListener('abort', stop);
    this.#waiting.delete(stop);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
