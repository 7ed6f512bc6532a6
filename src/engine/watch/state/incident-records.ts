/** Incidents: a target's findings over time, from the first suspicion until nothing grows any more. */
import type { AfterRestart, IncidentView } from '../../../model/watch.ts';
import type { Verdict } from '../../../model/verdict.ts';
import type { StoredIncident } from '../../../model/stored-records.ts';
import type { Resource } from '../../../model/resource.ts';

export type IncidentStep = IncidentView['timeline'][number];

/** The stored part of an incident; everything else is derived from it and the store on request. */
export interface IncidentRecord {
  readonly id: string;
  readonly target: string;
  readonly openedAt: number;
  resource: Resource;
  unit: 'bytes' | 'count';
  metric: string;
  verdict: Verdict;
  /** The worst verdict so far. */
  worst: Verdict;
  closedAt: number | null;
  sentence: string;
  timeline: IncidentStep[];
  captureIds: string[];
  /** The last restart while it was open. */
  restart: { readonly at: number; readonly startSeconds: number; readonly lifeBeganAt: number } | null;
  afterRestart: { readonly verdict: AfterRestart; readonly text: string } | null;
  /** Since when nothing grows; null while something does. */
  quietSince: number | null;
  /** References of known leaks that its captures match: `kubernetes#139823`. */
  matches: string[];
}

const VERSION = 1;
const MAX_STEPS = 300;
const MAX_CLOSED = 1000;

export class IncidentRecords {
  readonly #records = new Map<string, IncidentRecord>();
  readonly #save: (incident: StoredIncident) => void;

  constructor(save: (incident: StoredIncident) => void) {
    this.#save = save;
  }

  /** Loads the records of an earlier run; records of another shape stay in the store. */
  load(stored: readonly StoredIncident[]): void {
    for (const { id, version, document } of stored) {
      if (version === VERSION) this.#records.set(id, document as IncidentRecord);
    }
  }

  open(
    about: Pick<IncidentRecord, 'target' | 'resource' | 'unit' | 'metric' | 'verdict' | 'openedAt' | 'sentence'>,
  ): IncidentRecord {
    const record: IncidentRecord = {
      ...about,
      id: this.#newId(about.openedAt),
      worst: about.verdict,
      closedAt: null,
      timeline: [],
      captureIds: [],
      restart: null,
      afterRestart: null,
      quietSince: null,
      matches: [],
    };
    this.#records.set(record.id, record);
    this.#forget();
    return record;
  }

  get(id: string): IncidentRecord | undefined {
    return this.#records.get(id);
  }

  /** Newest first. */
  all(): IncidentRecord[] {
    return [...this.#records.values()].sort((a, b) => b.openedAt - a.openedAt || (a.id < b.id ? 1 : -1));
  }

  openOf(target: string): IncidentRecord | undefined {
    for (const record of this.#records.values())
      if (record.target === target && record.closedAt === null) return record;
    return undefined;
  }

  /** In time order, and bounded. */
  addStep(record: IncidentRecord, step: Omit<IncidentStep, 'captureId'> & { readonly captureId?: string }): void {
    record.timeline.push({ captureId: null, ...step });
    // The beginning and the end matter; the middle may be dropped.
    if (record.timeline.length > MAX_STEPS) record.timeline.splice(MAX_STEPS / 2, 1);
  }

  save(record: IncidentRecord): void {
    const { id, target, openedAt, closedAt } = record;
    this.#save({ id, target, openedAt, closedAt, version: VERSION, document: structuredClone(record) });
  }

  /** `i-20261115-1957`, with `-2`, `-3` ... if there are several in one minute. */
  #newId(at: number): string {
    const base = `i-${new Date(at * 1000).toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-')}`;
    if (!this.#records.has(base)) return base;
    for (let n = 2; ; n++) if (!this.#records.has(`${base}-${n}`)) return `${base}-${n}`;
  }

  #forget(): void {
    const closed = [...this.#records.values()].filter(({ closedAt }) => closedAt !== null);
    if (closed.length <= MAX_CLOSED) return;
    closed.sort((a, b) => a.openedAt - b.openedAt);
    for (const { id } of closed.slice(0, closed.length - MAX_CLOSED)) this.#records.delete(id);
  }
}
