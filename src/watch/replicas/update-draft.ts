/** What the other replicas have not been sent yet. */
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import {
  EMPTY_UPDATE,
  type CaptureAnswer,
  type CaptureRequest,
  type ReplicaUpdate,
  type NewSample,
  type SentVerdict,
  type Exchange,
} from './ports.ts';
import type { StoredIncident, StoredCapture } from '../../store/records.ts';
import type { Attributes } from '../../evidence/target.ts';
import { withMethods } from '../../base/with-methods.ts';
import type { WatchStore } from '../../store/ports.ts';

/** Beyond it, the oldest are dropped while nothing can be published: the store has them, or will. */
const MAX_SAMPLES = 50_000;

export class UpdateDraft {
  #samples: NewSample[] = [];
  #attributes = new Map<string, Attributes>();
  #verdicts = new Map<string, SentVerdict>();
  #incidents = new Map<string, StoredIncident>();
  #captures = new Map<string, StoredCapture>();
  #silent = new Map<string, string | null>();
  #cohorts: readonly CohortVerdict[] | undefined;
  #requests = new Map<string, CaptureRequest>();
  #answers = new Map<string, CaptureAnswer>();

  addSample(sample: NewSample): void {
    this.#samples.push(sample);
    if (this.#samples.length > 2 * MAX_SAMPLES) this.#samples = this.#samples.slice(-MAX_SAMPLES);
  }

  putAttributes(target: string, attributes: Attributes): void {
    this.#attributes.set(target, { ...this.#attributes.get(target), ...attributes });
  }

  putVerdict(verdict: SentVerdict): void {
    this.#verdicts.set(verdict.target, verdict);
  }

  putIncident(incident: StoredIncident): void {
    this.#incidents.set(incident.id, incident);
  }

  addCapture(capture: StoredCapture): void {
    this.#captures.set(capture.id, capture);
  }

  setSilent(target: string, why: string | null): void {
    this.#silent.set(target, why);
  }

  setCohorts(cohorts: readonly CohortVerdict[]): void {
    this.#cohorts = cohorts;
  }

  request(request: CaptureRequest): void {
    this.#requests.set(request.id, request);
  }

  answer(answer: CaptureAnswer): void {
    this.#answers.set(answer.id, answer);
  }

  /** All of it, once; undefined if there is nothing to send. */
  take(): ReplicaUpdate | undefined {
    const parts = [this.#attributes, this.#verdicts, this.#incidents, this.#captures, this.#silent, this.#requests];
    const isEmpty = this.#samples.length + this.#answers.size === 0 && parts.every(({ size }) => size === 0);
    if (isEmpty && this.#cohorts === undefined) return undefined;
    const update: ReplicaUpdate = {
      samples: this.#samples,
      attributes: [...this.#attributes],
      verdicts: [...this.#verdicts.values()],
      incidents: [...this.#incidents.values()],
      captures: [...this.#captures.values()],
      silent: [...this.#silent],
      requests: [...this.#requests.values()],
      answers: [...this.#answers.values()],
      ...(this.#cohorts === undefined ? {} : { cohorts: this.#cohorts }),
    };
    this.#samples = [];
    for (const part of [...parts, this.#answers]) part.clear();
    this.#cohorts = undefined;
    return update;
  }

  /** Puts back what could not be sent, before what came since. */
  restore(update: ReplicaUpdate): void {
    const since = this.take() ?? EMPTY_UPDATE;
    for (const { samples, attributes, verdicts, incidents, captures, silent, cohorts, requests, answers } of [
      update,
      since,
    ]) {
      this.#samples = [...this.#samples, ...samples].slice(-MAX_SAMPLES);
      for (const [target, known] of attributes) this.putAttributes(target, known);
      for (const one of verdicts) this.putVerdict(one);
      for (const one of incidents) this.putIncident(one);
      for (const one of captures) this.addCapture(one);
      for (const [target, why] of silent) this.setSilent(target, why);
      for (const one of requests) this.request(one);
      for (const one of answers) this.answer(one);
      if (cohorts !== undefined) this.setCohorts(cohorts);
    }
  }
}

/** The store of a watch whose commits are sent to the other replicas. */
export function publishingStore(store: WatchStore, draft: UpdateDraft, exchange: Exchange): WatchStore {
  /** Committed, and not published yet. */
  let committed: ReplicaUpdate | undefined;
  return withMethods(store, {
    putTarget(target, attributes) {
      store.putTarget(target, attributes);
      draft.putAttributes(target, attributes);
    },
    addSample(target, at, values) {
      const isTaken = store.addSample(target, at, values);
      if (isTaken) draft.addSample({ target, at, values });
      return isTaken;
    },
    put(given) {
      if (given.kind === 'incident') draft.putIncident(given.record);
      return store.put(given);
    },
    async addCapture(capture) {
      const stored = await store.addCapture(capture);
      draft.addCapture(stored);
      return stored;
    },
    async commit() {
      const batch = draft.take();
      const result = await store.commit();
      if (batch !== undefined) {
        if (result.committed && committed === undefined) committed = batch;
        else draft.restore(batch);
      }
      if (committed !== undefined) {
        const update = committed;
        // If it fails, it is tried again after the next commit.
        await exchange.publish(update).then(
          () => (committed = undefined),
          () => {},
        );
        if (committed === undefined && update.verdicts.length > 0)
          await exchange.putVerdicts(update.verdicts).catch(() => {});
      }
      return result;
    },
  });
}
