/** A watch among replicas: follows the shares, sends the others what it knows, and takes in what they know. */
import { oneLine } from '../../base/text-layout.ts';
import type { CaptureAnswer, CaptureRequest, Exchange } from './ports.ts';
import type { StoredIncident } from '../../store/records.ts';
import { captureOnRequest, type CaptureReply } from '../incidents/run-captures.ts';
import type { Sampler } from '../sampling/sampler.ts';
import { replicaOf, type WatchedTarget } from '../state/watched-target.ts';
import type { UpdateDraft } from './update-draft.ts';
import type { WatchState } from '../state/watch-state.ts';
import { applyUpdate, resync } from './apply-update.ts';
import type { LeaderStore } from '../../store/ports.ts';

/** Targets whose attributes are sent again in one round, when the leader changes. */
const RESENT_AT_ONCE = 500;
/** For a capture that another replica takes. */
const ANSWER_SECONDS = 100;
/** What updates do not have is looked up in the store this often, whatever happened. */
const RESYNC_SECONDS = 600;
/** A verdict may be in the store so long after its time: evaluations and commits take time, and clocks differ. */
const LATE_VERDICT_SECONDS = 900;

export interface SharingParts {
  readonly state: WatchState;
  readonly outgoing: UpdateDraft;
  readonly exchange: Exchange;
  readonly sampler: Sampler;
  /** Shows another replica itself as a target. */
  readonly addSelf: (name: string) => void;
  readonly remove: (name: string) => void;
}

/** One term of this replica. */
interface Lead {
  readonly term: number;
  readonly store: LeaderStore;
  /** Incidents that are sent to the others once they are committed. */
  readonly incidents: Map<string, StoredIncident>;
  isStale: boolean;
}

export class Sharing {
  readonly #parts: SharingParts;
  readonly #sentSilence = new Map<string, string | null>();
  readonly #asked = new Map<string, (answer: CaptureAnswer) => void>();
  #toResend: string[] = [];
  #leaderId: string | undefined;
  #needsResync = false;
  #resyncedAt = -Infinity;
  #requests = 0;
  #lead: Lead | undefined;

  constructor(parts: SharingParts) {
    this.#parts = parts;
    parts.state.share.subscribe(() => this.#changed());
  }

  /** A target was found; `isSampled` if there is a way to sample it. */
  consider(target: WatchedTarget, isSampled: boolean, isNew: boolean): void {
    const { state, sampler } = this.#parts;
    if (isNew) target.phase.setRole('viewer');
    assignRoles(state, [target]);
    if (target.phase.isSampled && isSampled) sampler.add(target.name);
  }

  #changed(): void {
    const { state, sampler, outgoing, remove } = this.#parts;
    const { share } = state;
    const { gained, lost } = assignRoles(state, state.targets.values());
    for (const { name } of lost) sampler.remove(name);
    const living = new Set(share.members.map(({ id }) => id));
    const sampled = gained.filter(({ connection, read }) => connection !== undefined || read !== undefined);
    sampler.addAll(sampled.map(({ name }) => name));
    for (const name of state.targets.keys()) if (!living.has(replicaOf(name) ?? share.id ?? '')) remove(name);
    this.#needsResync = true;
    if (share.isLeader) outgoing.setCohorts(state.cohorts);
    if (share.leader?.id === this.#leaderId) return;
    this.#leaderId = share.leader?.id;
    // Feature gates are not stored, so the new leader must be sent them.
    if (!share.isLeader) this.#toResend = [...state.targets.keys()].filter(name => share.owns(name));
  }

  /** Undefined while this replica does not lead. */
  get leaderStore(): LeaderStore | undefined {
    const { exchange, state } = this.#parts;
    const { term } = state.share;
    if (term !== undefined && term !== this.#lead?.term)
      this.#lead = { term, store: exchange.lead(term), incidents: new Map(), isStale: false };
    return term === undefined || this.#lead?.isStale === true ? undefined : this.#lead?.store;
  }

  /** Someone else's note on the incident of a cohort is kept by any replica; the leader merges it. */
  saveAsLeader(incident: StoredIncident): void {
    const store = this.leaderStore;
    if (store === undefined) return void this.#parts.state.ports.store.put({ kind: 'incident', record: incident });
    if (store.put({ kind: 'incident', record: incident })) this.#lead?.incidents.set(incident.id, incident);
  }

  /** What the leader wrote; it is sent to the others once it is in the store. */
  async #commitAsLeader(): Promise<void> {
    const { state, outgoing, addSelf } = this.#parts;
    const store = this.leaderStore;
    const lead = this.#lead;
    if (store === undefined || lead === undefined) return;
    const written = new Map(lead.incidents);
    const result = await store.commit();
    if (result === 'committed') {
      for (const [id, incident] of written) {
        outgoing.putIncident(incident);
        if (lead.incidents.get(id) === incident) lead.incidents.delete(id);
      }
    }
    if (result !== 'stale' || lead.isStale) return;
    lead.isStale = true;
    state.ports.log('another replica leads since a later term; what this one found as leader is dropped');
    // What it changed as leader was not stored.
    state.incidents.clear();
    for (const target of state.targets.values()) target.incidentId = undefined;
    await resync(state, addSelf, -Infinity);
  }

  /** After each commit. */
  async follow(): Promise<void> {
    const { state, exchange, addSelf } = this.#parts;
    await this.#commitAsLeader();
    this.#addMore();
    const { updates, isComplete } = await exchange.read();
    for (const { update } of updates) {
      applyUpdate(state, update, addSelf);
      for (const request of update.requests) this.#serve(request);
      for (const answer of update.answers) this.#asked.get(answer.id)?.(answer);
    }
    const now = state.ports.clock.now();
    if (!isComplete || this.#needsResync || now - this.#resyncedAt > RESYNC_SECONDS) await this.resync();
  }

  /** Looks into the store for what updates did not have. */
  async resync(): Promise<void> {
    const { state, addSelf } = this.#parts;
    this.#needsResync = false;
    const since = this.#resyncedAt - LATE_VERDICT_SECONDS;
    this.#resyncedAt = state.ports.clock.now();
    await resync(state, addSelf, since);
  }

  /** Passes the request on to the replica that samples the target. */
  async askForCapture(target: string, reason: string): Promise<CaptureReply> {
    const { state, outgoing } = this.#parts;
    const { share, ports, stopping } = state;
    const owner = share.ownerOf(target);
    if (owner === undefined || !share.members.some(({ id }) => id === owner))
      return { refused: `no replica samples ${target} at this moment; try again in a minute` };
    const id = `${share.id ?? ''} ${Math.round(state.startedAt)} ${++this.#requests}`;
    const over = new AbortController();
    const answered = new Promise<CaptureAnswer>(resolve => this.#asked.set(id, resolve));
    outgoing.request({ id, target, reason });
    const late = ports.clock.sleep(ANSWER_SECONDS, AbortSignal.any([over.signal, stopping])).then(() => undefined);
    const answer = await Promise.race([answered, late]);
    this.#asked.delete(id);
    over.abort();
    if (answer?.captureId !== undefined) return { captureId: answer.captureId };
    return { refused: answer?.refused ?? `${owner}, which samples ${target}, did not answer; try again in a minute` };
  }

  #serve({ id, target: name, reason }: CaptureRequest): void {
    const { state, outgoing } = this.#parts;
    const target = state.targets.get(name);
    if (target === undefined || !state.share.owns(name)) return;
    const work = captureOnRequest(state, target, reason)
      .catch((error: Error) => ({ refused: oneLine(error.message) }))
      .then(reply => {
        outgoing.answer({ id, ...reply });
        state.working.delete(work);
      });
    state.working.add(work);
  }

  #addMore(): void {
    const { state, outgoing } = this.#parts;
    for (const { name, silentWhy = null, phase } of state.targets.values()) {
      if (!phase.isSampled) this.#sentSilence.delete(name);
      else if ((this.#sentSilence.get(name) ?? null) !== silentWhy) {
        outgoing.setSilent(name, silentWhy);
        this.#sentSilence.set(name, silentWhy);
      }
    }
    for (const name of this.#toResend.splice(0, RESENT_AT_ONCE)) {
      const target = state.targets.get(name);
      if (target?.phase.isSampled === true) outgoing.putAttributes(name, { ...target.gates, ...target.attributes });
    }
  }
}

/**
 * Compares the shares with the roles of targets, which change when replicas come and go.
 *
 *     gained   sampled at once; judged when the detector has its history from the store; until then, the last verdict
 *              stands
 *     lost     not sampled any more; what others send about it is shown
 *
 * The leader judges the whole fleet, since cohorts compare all targets; what it says about one target counts only if it
 * samples the target itself.
 */
function assignRoles({ share, ports }: WatchState, targets: Iterable<WatchedTarget>): ShareChange {
  const gained: WatchedTarget[] = [];
  const lost: WatchedTarget[] = [];
  const forgotten: string[] = [];
  // Not whether it may lead at this moment: without an answer for some seconds, the history of a fleet is not dropped.
  const leads = share.id === undefined || share.leader?.id === share.id;
  for (const target of targets) {
    const { name, phase } = target;
    const isSampled = share.owns(name);
    if (isSampled !== phase.isSampled) (isSampled ? gained : lost).push(target);
    if (phase.setRole(isSampled ? 'sampler' : leads ? 'judge' : 'viewer')) forgotten.push(name);
  }
  if (forgotten.length > 0) ports.background.forget(forgotten);
  return { gained, lost };
}

interface ShareChange {
  readonly gained: readonly WatchedTarget[];
  readonly lost: readonly WatchedTarget[];
}
