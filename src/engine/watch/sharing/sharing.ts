/** A watch among replicas: follows the shares, tells the others what it knows, and learns what they know. */
import { oneLine } from '../../../base/text-layout.ts';
import type { CaptureAnswer, CaptureRequest } from '../../../model/news.ts';
import type { Exchange } from '../../../ports/exchange.ts';
import { captureOnRequest, type CaptureReply } from '../incidents/capture-on-request.ts';
import type { Sampler } from '../sampling/sampler.ts';
import { replicaOf, type WatchedTarget } from '../state/watched-target.ts';
import type { NewsDraft } from '../state/news-draft.ts';
import type { WatchState } from '../state/watch-state.ts';
import { applyNews, resync } from './apply-news.ts';
import { reshare } from './reshare.ts';

/** Targets whose attributes are told again in one round, when someone new leads. */
const RETOLD_AT_ONCE = 500;
/** For a capture that another replica takes. */
const ANSWER_SECONDS = 180;
/** What the news do not tell is looked up in the store this often, whatever happened. */
const RESYNC_SECONDS = 600;

export interface SharingParts {
  readonly state: WatchState;
  readonly news: NewsDraft;
  readonly exchange: Exchange;
  readonly sampler: Sampler;
  /** Shows another replica itself as a target. */
  readonly addSelf: (name: string) => void;
  readonly remove: (name: string) => void;
}

export class Sharing {
  readonly #parts: SharingParts;
  readonly #told = new Map<string, string | null>();
  readonly #asked = new Map<string, (answer: CaptureAnswer) => void>();
  #toRetell: string[] = [];
  #leaderId: string | undefined;
  #needsResync = false;
  #resyncedAt = -Infinity;
  #requests = 0;

  constructor(parts: SharingParts) {
    this.#parts = parts;
    parts.state.share.subscribe(() => this.#changed());
  }

  /** A target was found; `isSampled` if there is a way to sample it. */
  consider(target: WatchedTarget, isSampled: boolean, isNew: boolean): void {
    const { state, sampler } = this.#parts;
    if (isNew) target.isOwned = target.isJudged = false;
    reshare(state, target);
    if (target.isOwned && isSampled) sampler.add(target.name, target.lastSampleAt);
  }

  #changed(): void {
    const { state, sampler, news, remove } = this.#parts;
    const { share } = state;
    const { gained, lost } = reshare(state);
    for (const { name } of lost) sampler.remove(name);
    for (const { name, connection, read, lastSampleAt } of gained)
      if (connection !== undefined || read !== undefined) sampler.add(name, lastSampleAt);
    const living = new Set(share.members.map(({ id }) => id));
    for (const name of state.targets.keys()) if (!living.has(replicaOf(name) ?? share.id ?? '')) remove(name);
    this.#needsResync = true;
    if (share.isLeader) news.setCohorts(state.cohorts);
    if (share.leader?.id === this.#leaderId) return;
    this.#leaderId = share.leader?.id;
    // Feature gates are in no store: whoever leads now must be told.
    if (!share.isLeader) this.#toRetell = [...state.targets.keys()].filter(name => share.owns(name));
  }

  /** After each commit. */
  async follow(): Promise<void> {
    const { state, exchange, addSelf } = this.#parts;
    this.#tellMore();
    const { news, isComplete } = await exchange.read();
    for (const one of news) {
      applyNews(state, one.news, addSelf);
      for (const request of one.news.requests) this.#serve(request);
      for (const answer of one.news.answers) this.#asked.get(answer.id)?.(answer);
    }
    const now = state.ports.clock.now();
    if (!isComplete || this.#needsResync || now - this.#resyncedAt > RESYNC_SECONDS) await this.resync();
  }

  /** Looks into the store for what the news did not tell. */
  async resync(): Promise<void> {
    this.#needsResync = false;
    this.#resyncedAt = this.#parts.state.ports.clock.now();
    await resync(this.#parts.state, this.#parts.addSelf);
  }

  /** Passes the request on to whoever samples the target. */
  async askForCapture(target: string, reason: string): Promise<CaptureReply> {
    const { state, news } = this.#parts;
    const { share, ports, stopping } = state;
    const owner = share.ownerOf(target);
    if (owner === undefined || !share.members.some(({ id }) => id === owner))
      return { refused: `no replica samples ${target} at this moment; try again in a minute` };
    const id = `${share.id ?? ''} ${Math.round(state.startedAt)} ${++this.#requests}`;
    const over = new AbortController();
    const answered = new Promise<CaptureAnswer>(resolve => this.#asked.set(id, resolve));
    news.request({ id, target, reason });
    const late = ports.clock.sleep(ANSWER_SECONDS, AbortSignal.any([over.signal, stopping])).then(() => undefined);
    const answer = await Promise.race([answered, late]);
    this.#asked.delete(id);
    over.abort();
    if (answer?.captureId !== undefined) return { captureId: answer.captureId };
    return { refused: answer?.refused ?? `${owner}, which samples ${target}, did not answer; try again in a minute` };
  }

  #serve({ id, target: name, reason }: CaptureRequest): void {
    const { state, news } = this.#parts;
    const target = state.targets.get(name);
    if (target === undefined || !state.share.owns(name)) return;
    const work = captureOnRequest(state, target, reason)
      .catch((error: Error) => ({ refused: oneLine(error.message) }))
      .then(reply => {
        news.answer({ id, ...reply });
        state.working.delete(work);
      });
    state.working.add(work);
  }

  #tellMore(): void {
    const { state, news } = this.#parts;
    for (const { name, silentWhy = null, isOwned } of state.targets.values()) {
      if (!isOwned) this.#told.delete(name);
      else if ((this.#told.get(name) ?? null) !== silentWhy) {
        news.setSilent(name, silentWhy);
        this.#told.set(name, silentWhy);
      }
    }
    for (const name of this.#toRetell.splice(0, RETOLD_AT_ONCE)) {
      const target = state.targets.get(name);
      if (target?.isOwned === true) news.putAttributes(name, { ...target.gates, ...target.attributes });
    }
  }
}
