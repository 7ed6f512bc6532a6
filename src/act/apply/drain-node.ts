/**
 * Empties a node.
 *
 *     list -> ruling of every pod -> evict, a few at a time -> watch until they are gone -> list again
 *
 * One pod that may not be evicted stops everything before the first eviction. One that a budget refuses for too long
 * stops what has not begun; what was evicted stays evicted.
 */
import type { JsonRecord } from '../../base/json.ts';
import { formatAge } from '../../base/quantities.ts';
import type { DrainCall } from '../plan/plan-step.ts';
import { controllerOf, drainRuling, type DrainRuling } from '../plan/drain-rule.ts';
import { podFacts, type PodFacts } from '../plan/pod-facts.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ClusterActions } from '../../live/cluster-actions.ts';
import { evictPod, lostOrRefused, whyNotDrained, type WhyNotDrained } from './evict-pod.ts';
import { NodePods } from './node-pods.ts';

export interface DrainWork {
  readonly actions: ClusterActions;
  readonly clock: WatchClock;
  readonly call: DrainCall;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Awaited: the log has it before the next eviction. */
  readonly onPod: (pod: PodFacts, outcome: PodOutcome, detail: string) => Promise<void>;
  readonly onProgress: (line: string) => void;
}

export type PodOutcome = 'evicted' | 'gone' | 'refused' | 'left' | 'replaced';

export type Drained =
  | { readonly kind: 'drained'; readonly detail: string }
  | { readonly kind: 'failed'; readonly detail: string; readonly why: WhyNotDrained }
  | { readonly kind: 'stopped' };

/** Pods that come while a node is drained; a loop that puts them there again and again is not followed for ever. */
const MAX_ROUNDS = 10;
const CHECK_SECONDS = 15;

export async function drainNode(work: DrainWork): Promise<Drained> {
  const { actions, clock, call, signal } = work;
  const pods = new NodePods(actions, clock, call.node);
  if (!(await pods.list())) return listFailed(pods);
  const end = new AbortController();
  const stop = (): void => end.abort();
  signal.addEventListener('abort', stop, { once: true });
  const following = pods.follow(end.signal);
  try {
    return await new Drain(work, pods, clock.now() + work.timeoutSeconds).run();
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
    await following;
  }
}

function listFailed({ failure }: NodePods): Drained {
  if (failure === undefined) return { kind: 'failed', why: 'failure', detail: '' };
  return { kind: 'failed', why: whyNotDrained(failure), detail: lostOrRefused(failure) };
}

class Drain {
  readonly #work: DrainWork;
  readonly #pods: NodePods;
  readonly #until: number;
  readonly #daemonSets = new Map<string, boolean | undefined>();
  readonly #evicted = new Set<string>();
  readonly #left = new Set<string>();
  #failed: Extract<Drained, { kind: 'failed' }> | undefined;

  constructor(work: DrainWork, pods: NodePods, until: number) {
    this.#work = work;
    this.#pods = pods;
    this.#until = until;
  }

  async run(): Promise<Drained> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const { evict, refused } = await this.#rule();
      if (refused.length > 0) return this.#refuse(refused);
      if (evict.length === 0) return this.#done();
      await this.#evictAll(evict.filter(({ isTerminating }) => !isTerminating));
      if (this.#work.signal.aborted) return { kind: 'stopped' };
      if (this.#failed !== undefined) return this.#failed;
      const ended = await this.#untilGone(evict);
      if (ended !== undefined) return ended;
      if (!(await this.#pods.list())) return listFailed(this.#pods);
    }
    return this.#fail(`pods keep coming to ${this.#work.call.node}: it was emptied ${MAX_ROUNDS} times`);
  }

  #done(): Drained {
    const count = this.#evicted.size;
    const left = this.#left.size === 0 ? '' : `, ${this.#left.size} left where they are`;
    return { kind: 'drained', detail: `${podCount(count)} evicted${left}` };
  }

  #fail(detail: string, why: WhyNotDrained = 'failure'): Drained {
    this.#failed ??= { kind: 'failed', detail, why };
    return this.#failed;
  }

  #refuse(refused: readonly { pod: PodFacts; note: string }[]): Drained {
    const [first] = refused;
    const more = refused.length > 1 ? `, and ${refused.length - 1} more` : '';
    return this.#fail(
      `${first?.pod.namespace}/${first?.pod.name} may not be evicted (${first?.note})${more}; nothing was evicted`,
    );
  }

  async #rule(): Promise<{ evict: PodFacts[]; refused: { pod: PodFacts; note: string }[] }> {
    await this.#readDaemonSets();
    const evict: PodFacts[] = [];
    const refused: { pod: PodFacts; note: string }[] = [];
    for (const object of this.#pods.pods) {
      const pod = podFacts(object);
      const { act, note } = this.#ruling(object, pod);
      if (act === 'evict') evict.push(pod);
      else if (act === 'refuse') refused.push({ pod, note });
      else if (!this.#left.has(pod.uid)) {
        this.#left.add(pod.uid);
        await this.#work.onPod(pod, 'left', note);
      }
    }
    return { evict, refused };
  }

  /** A pod of the plan is treated as the plan says; one that came since, by the same rules. */
  #ruling(object: JsonRecord, { uid, isTerminating }: PodFacts): DrainRuling {
    const planned = this.#work.call.pods.find(pod => pod.uid === uid);
    if (planned !== undefined) return { act: planned.act, note: planned.note };
    const ruling = drainRuling(object, this.#work.call, (namespace, name) =>
      this.#daemonSets.get(`${namespace}/${name}`),
    );
    return ruling.act === 'refuse' && isTerminating ? { act: 'evict', note: '' } : ruling;
  }

  async #readDaemonSets(): Promise<void> {
    for (const pod of this.#pods.pods) {
      const owner = controllerOf(pod);
      const key = `${podFacts(pod).namespace}/${owner?.name}`;
      if (owner?.kind !== 'DaemonSet' || this.#daemonSets.has(key)) continue;
      const found = await this.#work.actions.daemonSet(podFacts(pod).namespace, owner.name);
      const isGone = found.kind === 'refused' && found.status === 404;
      this.#daemonSets.set(key, found.kind === 'done' ? true : isGone ? false : undefined);
    }
  }

  async #evictAll(pods: readonly PodFacts[]): Promise<void> {
    const queue = pods.filter(({ uid }) => !this.#evicted.has(uid));
    const worker = async (): Promise<void> => {
      for (let pod = queue.shift(); pod !== undefined; pod = queue.shift()) {
        if (this.#work.signal.aborted || this.#failed !== undefined) return;
        await this.#evict(pod);
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, this.#work.call.maxConcurrent) }, worker));
  }

  async #evict(pod: PodFacts): Promise<void> {
    const { actions, clock, call, signal, onPod, onProgress } = this.#work;
    let said = '';
    const end = await evictPod(actions, clock, pod, {
      gracePeriodSeconds: call.gracePeriodSeconds,
      retrySeconds: Math.min(call.retrySeconds, this.#until - clock.now()),
      signal,
      isGone: () => this.#pods.get(pod.uid) === undefined,
      onRefused: (budget, message) => {
        if (said === budget) return;
        said = budget;
        onProgress(`${pod.namespace}/${pod.name} waits for the PodDisruptionBudget ${budget}: ${message}`);
      },
    });
    const name = `${pod.namespace}/${pod.name}`;
    switch (end.kind) {
      case 'stopped':
        return;
      case 'evicted':
        this.#evicted.add(pod.uid);
        return onPod(pod, 'evicted', '');
      case 'ends-anyway':
        return onPod(pod, 'gone', 'its namespace is being deleted');
      case 'gone':
        return onPod(pod, 'gone', 'it was gone already');
      case 'replaced':
        return onPod(pod, 'replaced', 'another pod has its name now, and was left alone');
      case 'refused':
        await onPod(pod, 'refused', end.detail);
        this.#fail(`${name}: ${end.detail}`, end.why);
    }
  }

  async #untilGone(pods: readonly PodFacts[]): Promise<Drained | undefined> {
    const { clock, signal, onPod, onProgress } = this.#work;
    let waiting = pods;
    for (;;) {
      const gone = waiting.filter(({ uid }) => this.#pods.get(uid) === undefined);
      waiting = waiting.filter(({ uid }) => this.#pods.get(uid) !== undefined);
      for (const pod of gone) if (this.#evicted.has(pod.uid)) await onPod(pod, 'gone', '');
      if (waiting.length === 0) return undefined;
      if (signal.aborted) return { kind: 'stopped' };
      const left = this.#until - clock.now();
      const names = waiting.slice(0, 3).map(({ namespace, name }) => `${namespace}/${name}`);
      const more = waiting.length > names.length ? ` and ${waiting.length - names.length} more` : '';
      if (left <= 0)
        return this.#fail(
          `${names.join(', ')}${more} ${waiting.length === 1 ? 'is' : 'are'} still there after ${formatAge(this.#work.timeoutSeconds)}`,
        );
      if (gone.length > 0) onProgress(`${pods.length - waiting.length} of ${podCount(pods.length)} gone`);
      await this.#pods.changed(Math.min(left, CHECK_SECONDS), signal);
    }
  }
}

function podCount(count: number): string {
  return count === 1 ? '1 pod' : `${count} pods`;
}
