/**
 * Empties a node.
 *
 *     list -> ruling of every pod -> evict, a few at a time -> watch until they are gone -> list again
 *
 * One pod that may not be evicted stops everything before the first eviction. One that a budget refuses is asked about
 * again beside the others; if it is refused for too long, it stops what has not begun. What was evicted stays evicted.
 */
import type { JsonRecord } from '../../base/json.ts';
import { formatAge } from '../../base/say.ts';
import type { DrainCall } from '../plan/plan-step.ts';
import { controllerOf, drainRuling, type DrainRuling } from '../plan/drain-rule.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { StopReason } from '../../store/plan-log.ts';
import type { ClusterActions, Outcome, Refused } from '../../live/ports.ts';
import { rideOver, SILENT_SECONDS } from './act-context.ts';
import { podFacts, type PodFacts } from '../plan/read-node.ts';

const PAUSE_SECONDS = 5;

const MAX_PAUSE_SECONDS = 20;

/** The pods on a node, kept up to date by a watch. Where pods may not be watched, they are listed again and again. */
const WATCH_SECONDS = 300;

const LIST_PAUSE_SECONDS = 5;

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
  if (!(await listed(work, pods))) return listFailed(pods);
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

/** False if that failed, and not only for as long as an API server restarts. */
function listed({ clock, signal, onProgress }: DrainWork, pods: NodePods): Promise<boolean> {
  return rideOver(
    { clock, signal, say: onProgress },
    () => pods.list(),
    isListed => !isListed && pods.failure?.kind === 'lost',
  );
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
      if (!(await listed(this.#work, this.#pods))) return listFailed(this.#pods);
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
    const count = this.#evicted.size;
    return this.#fail(
      `${first?.pod.namespace}/${first?.pod.name} may not be evicted (${first?.note})${more}; ${count === 0 ? 'nothing' : `${podCount(count)} before it`} ${count > 1 ? 'were' : 'was'} evicted`,
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

  /** By the rules, whatever the plan lists; but what it leaves is left. */
  #ruling(object: JsonRecord, { uid, isTerminating }: PodFacts): DrainRuling {
    const planned = this.#work.call.pods.find(pod => pod.uid === uid);
    if (planned?.act === 'leave') return { act: 'leave', note: planned.note };
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

  /** A pod that a budget refuses waits beside the others: it holds no place of theirs. */
  async #evictAll(pods: readonly PodFacts[]): Promise<void> {
    const { clock, call, signal } = this.#work;
    const now = clock.now();
    const queue: WaitingPod[] = pods
      .filter(({ uid }) => !this.#evicted.has(uid))
      .map(pod => ({ pod, notBefore: now, pause: PAUSE_SECONDS, firstAt: undefined, answeredAt: now, said: '' }));
    const worker = async (): Promise<void> => {
      while (queue.length > 0 && !signal.aborted && this.#failed === undefined) {
        const due = Math.min(...queue.map(({ notBefore }) => notBefore));
        if (due > clock.now()) {
          await clock.sleep(due - clock.now(), signal);
          continue;
        }
        const at = queue.findIndex(({ notBefore }) => notBefore === due);
        const [next] = queue.splice(at, 1);
        const later = next === undefined ? undefined : await this.#evict(next);
        if (later !== undefined) queue.push(later);
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, call.maxConcurrent) }, worker));
  }

  /** Asks once; the pod with when to ask again, or undefined if it is settled. */
  async #evict(waiting: WaitingPod): Promise<WaitingPod | undefined> {
    const { actions, clock, call, onPod } = this.#work;
    const { pod } = waiting;
    if (this.#pods.get(pod.uid) === undefined) {
      await onPod(pod, 'gone', 'it was gone already');
      return undefined;
    }
    const { gracePeriodSeconds } = call;
    const answer = await actions.evict(pod, gracePeriodSeconds === null ? {} : { gracePeriodSeconds });
    const now = clock.now();
    if (answer.kind === 'done') {
      this.#evicted.add(pod.uid);
      await onPod(pod, 'evicted', '');
      return undefined;
    }
    if (answer.kind === 'lost') {
      // The UID makes it safe to ask again, whether or not the first request arrived.
      if (now - waiting.answeredAt <= SILENT_SECONDS) return { ...waiting, notBefore: now + PAUSE_SECONDS };
      await this.#refusePod(pod, `the API server does not answer: ${answer.message}`, 'no-answer');
      return undefined;
    }
    const settled = settledBy(answer);
    if (settled === undefined) return this.#askLater(waiting, answer);
    if (settled.kind === 'refused') await this.#refusePod(pod, settled.detail, settled.why);
    else await onPod(pod, settled.kind === 'replaced' ? 'replaced' : 'gone', SETTLED[settled.kind]);
    return undefined;
  }

  /** The last time is at the end of the patience, so that what is said about it is true. */
  async #askLater(waiting: WaitingPod, answer: Refused): Promise<WaitingPod | undefined> {
    const { clock, call, onProgress } = this.#work;
    const { pod, pause, firstAt: first, said } = waiting;
    const now = clock.now();
    const firstAt = first ?? now;
    const until = Math.min(firstAt + call.retrySeconds, this.#until);
    const budget = budgetNamed(answer);
    const detail = detailOf(answer);
    if (now >= until) {
      const name = budget === '' ? 'a PodDisruptionBudget' : `the PodDisruptionBudget ${budget}`;
      await this.#refusePod(pod, `${name} refused it for ${formatAge(now - firstAt)}: ${detail}`, 'failure');
      return undefined;
    }
    if (said !== budget || first === undefined)
      onProgress(`${pod.namespace}/${pod.name} waits for the PodDisruptionBudget ${budget}: ${detail}`);
    const asked = answer.retryAfterSeconds;
    const wait = asked !== undefined && asked > 0 ? asked : pause;
    return {
      ...waiting,
      firstAt,
      answeredAt: now,
      said: budget,
      notBefore: Math.min(now + wait, until),
      pause: Math.min(MAX_PAUSE_SECONDS, pause * 1.5),
    };
  }

  async #refusePod(pod: PodFacts, detail: string, why: WhyNotDrained): Promise<void> {
    await this.#work.onPod(pod, 'refused', detail);
    this.#fail(`${pod.namespace}/${pod.name}: ${detail}`, why);
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

class NodePods {
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

/** One pod to evict: the pod with this UID and no other, however often its name is used again. */
interface WaitingPod {
  readonly pod: PodFacts;
  readonly notBefore: number;
  readonly pause: number;
  /** When a budget refused it first. */
  readonly firstAt: number | undefined;
  readonly answeredAt: number;
  /** The budget that was named last. */
  readonly said: string;
}

type Settled =
  | { readonly kind: 'gone' | 'replaced' }
  /** Another deletes it: its namespace ends. */
  | { readonly kind: 'ends-anyway' }
  | { readonly kind: 'refused'; readonly detail: string; readonly why: WhyNotDrained };

const SETTLED = {
  gone: 'it was gone already',
  replaced: 'another pod has its name now, and was left alone',
  'ends-anyway': 'its namespace is being deleted',
} as const;

/** As in the log. */
type WhyNotDrained = Extract<StopReason, 'failure' | 'forbidden' | 'no-answer'>;

/** Undefined if it is worth another try. */
function settledBy(answer: Refused): Settled | undefined {
  switch (answer.status) {
    case 404:
      return { kind: 'gone' };
    // The UID does not match: another pod has the name now, maybe on another node.
    case 409:
      return { kind: 'replaced' };
    case 429:
      return undefined;
    case 403:
      if (answer.causes.some(({ reason }) => reason === 'NamespaceTerminating')) return { kind: 'ends-anyway' };
      return { kind: 'refused', why: 'forbidden', detail: answer.message };
    default:
      // With two budgets for one pod the server says 500, and always will.
      return { kind: 'refused', why: 'failure', detail: answer.message };
  }
}

function detailOf({ causes, message }: Refused): string {
  return causes.find(({ reason }) => reason === 'DisruptionBudget')?.message ?? message;
}

/** "The disruption budget web needs 2 healthy pods and has 2 currently": '' if no budget is named. */
function budgetNamed(answer: Refused): string {
  return /disruption budget (\S+) /i.exec(detailOf(answer))?.[1] ?? '';
}

function whyNotDrained(outcome: Exclude<Outcome, { kind: 'done' }>): WhyNotDrained {
  if (outcome.kind === 'lost') return 'no-answer';
  return outcome.status === 403 ? 'forbidden' : 'failure';
}

function lostOrRefused(outcome: Exclude<Outcome, { kind: 'done' }>): string {
  return outcome.kind === 'lost' ? `the API server does not answer: ${outcome.message}` : outcome.message;
}
