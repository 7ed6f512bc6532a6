/** Incidents of cohorts, from the proof that a value leaks until nothing with it grows any more. */
import type { CohortName } from '../../judge/cohorts/cohort-model.ts';
import type { RecordedCohort } from '../../judge/detect/recorded-detection.ts';
import type { StoredIncident } from '../../store/records.ts';
import type { IncidentNote, IncidentStep } from '../watch-model.ts';
import { forgetClosed, newIncidentId } from './incident-records.ts';

/** The stored part; members are found by their own incidents, which name this one. */
export interface CohortIncidentRecord {
  readonly id: string;
  readonly cohort: CohortName;
  readonly openedAt: number;
  closedAt: number | null;
  sentence: string;
  /** What was last found about each resource that leaks, the worst first. */
  verdicts: readonly RecordedCohort[];
  /** How many targets grew when the timeline was last told. */
  toldGrowing: number;
  /** Since when nothing with the value grows; null while something does. */
  quietSince: number | null;
  timeline: IncidentStep[];
  notes: readonly IncidentNote[];
}

/** Apart from the versions of a target's incident, so that neither is read as the other. */
const VERSION = 1001;
const MAX_CLOSED = 200;

export class CohortIncidentRecords {
  readonly #records = new Map<string, CohortIncidentRecord>();
  readonly #save: (incident: StoredIncident) => void;
  readonly #suffix: string;

  constructor(save: (incident: StoredIncident) => void, suffix = '') {
    this.#save = save;
    this.#suffix = suffix;
  }

  load(stored: readonly StoredIncident[]): void {
    for (const { id, version, document } of stored) {
      if (version === VERSION) this.#records.set(id, document as CohortIncidentRecord);
    }
  }

  /**
   * As another replica knows it. The leader keeps what it knows and takes only notes from others. True if anything is
   * new.
   */
  adopt(stored: StoredIncident, isLeader: boolean): boolean {
    if (stored.version !== VERSION) return false;
    const theirs = structuredClone(stored.document) as CohortIncidentRecord;
    const mine = this.#records.get(theirs.id);
    if (mine === undefined || !isLeader) {
      this.#records.set(theirs.id, theirs);
      return JSON.stringify(mine) !== JSON.stringify(theirs);
    }
    const known = new Set(mine.notes.map(({ at, by, text }) => `${at} ${by} ${text}`));
    const added = theirs.notes.filter(({ at, by, text }) => !known.has(`${at} ${by} ${text}`));
    if (added.length === 0) return false;
    const steps = theirs.timeline.filter(({ at, kind }) => added.some(note => note.at === at) && kind !== 'leak');
    mine.notes = [...mine.notes, ...added].sort((a, b) => a.at - b.at);
    mine.timeline = [...mine.timeline, ...steps].sort((a, b) => a.at - b.at);
    this.save(mine);
    return true;
  }

  open(about: Pick<CohortIncidentRecord, 'cohort' | 'openedAt' | 'verdicts'>): CohortIncidentRecord {
    const record: CohortIncidentRecord = {
      ...about,
      id: newIncidentId('c', about.openedAt, this.#records, this.#suffix),
      closedAt: null,
      sentence: '',
      toldGrowing: 0,
      quietSince: null,
      timeline: [],
      notes: [],
    };
    this.#records.set(record.id, record);
    forgetClosed(this.#records, MAX_CLOSED);
    return record;
  }

  /** What it knows is not to be trusted: it is read again. */
  clear(): void {
    this.#records.clear();
  }

  get(id: string): CohortIncidentRecord | undefined {
    return this.#records.get(id);
  }

  /** Newest first. */
  all(): CohortIncidentRecord[] {
    return [...this.#records.values()].sort((a, b) => b.openedAt - a.openedAt || (a.id < b.id ? 1 : -1));
  }

  /** Newest first. */
  allOpen(): CohortIncidentRecord[] {
    return this.all().filter(({ closedAt }) => closedAt === null);
  }

  save(record: CohortIncidentRecord): void {
    const { id, cohort, openedAt, closedAt } = record;
    const target = `${cohort.attribute} ${cohort.value}`;
    this.#save({ id, target, openedAt, closedAt, version: VERSION, document: structuredClone(record) });
  }
}
