/** Incidents: a target's findings over time, from the first suspicion until nothing grows any more. */
import { mixedHash } from '../../base/mixed-hash.ts';
import type { IncidentNote, IncidentStep, TargetCause } from '../watch-model.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { StoredIncident } from '../../store/records.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { AfterRestart, RestartSlopes } from '../../judge/restart/after-restart.ts';

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
  /** Records of older versions have no slopes and no time. */
  afterRestart: {
    readonly verdict: AfterRestart;
    readonly text: string;
    readonly slopes?: RestartSlopes | null;
    readonly at?: number;
  } | null;
  /** Since when nothing grows; null while something does. */
  quietSince: number | null;
  /** References of known leaks that its captures match: `kubernetes#139823`. */
  matches: string[];
  /** What its captures show as the cause; absent in records of older versions. */
  cause?: TargetCause | null;
  /** Absent in records of older versions. */
  notes?: readonly IncidentNote[];
  /** The incident of the cohort that it is folded into. Absent if it stands alone. */
  partOf?: string;
}

const VERSION = 1;
const MAX_STEPS = 300;
const MAX_CLOSED = 1000;

export type NewStep = Omit<IncidentStep, 'captureId'> & { readonly captureId?: string };

export class IncidentRecords {
  readonly #records = new Map<string, IncidentRecord>();
  readonly #save: (incident: StoredIncident) => void;
  readonly #suffix: string;
  readonly #saveAsLeader: (incident: StoredIncident) => void;

  constructor(
    save: (incident: StoredIncident) => void,
    suffix = '',
    saveAsLeader: (incident: StoredIncident) => void = save,
  ) {
    this.#save = save;
    this.#suffix = suffix;
    this.#saveAsLeader = saveAsLeader;
  }

  /** Loads the records of an earlier run; records of another shape stay in the store. */
  load(stored: readonly StoredIncident[]): void {
    for (const one of stored) {
      const record = readRecord(one);
      if (record !== undefined) this.#records.set(record.id, record);
    }
  }

  /** As another replica knows it; not saved. */
  put(record: IncidentRecord): void {
    this.#records.set(record.id, record);
    forgetClosed(this.#records);
  }

  open(
    about: Pick<IncidentRecord, 'target' | 'resource' | 'unit' | 'metric' | 'verdict' | 'openedAt' | 'sentence'>,
  ): IncidentRecord {
    const record: IncidentRecord = {
      ...about,
      id: newIncidentId('i', about.openedAt, this.#records, this.#suffix),
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
    forgetClosed(this.#records);
    return record;
  }

  get(id: string): IncidentRecord | undefined {
    return this.#records.get(id);
  }

  /** In no order. */
  values(): Iterable<IncidentRecord> {
    return this.#records.values();
  }

  /** Newest first. */
  all(): IncidentRecord[] {
    return [...this.#records.values()].sort((a, b) => b.openedAt - a.openedAt || (a.id < b.id ? 1 : -1));
  }

  /** Those that are folded into the incident of a cohort. */
  foldedInto(cohortId: string): IncidentRecord[] {
    return [...this.#records.values()].filter(({ partOf }) => partOf === cohortId);
  }

  openOf(target: string): IncidentRecord | undefined {
    for (const record of this.#records.values())
      if (record.target === target && record.closedAt === null) return record;
    return undefined;
  }

  addStep(record: IncidentRecord, step: NewStep): void {
    addStepTo(record.timeline, step);
  }

  save(record: IncidentRecord): void {
    this.#save(stored(record));
  }

  /** Only if this replica still leads then. */
  saveAsLeader(record: IncidentRecord): void {
    this.#saveAsLeader(stored(record));
  }

  /** What it knows is not to be trusted: it is read again. */
  clear(): void {
    this.#records.clear();
  }
}

function stored(record: IncidentRecord): StoredIncident {
  const { id, target, openedAt, closedAt } = record;
  return { id, target, openedAt, closedAt, version: VERSION, document: structuredClone(record) };
}

/** Undefined if it is of another shape. */
export function readRecord({ version, document }: StoredIncident): IncidentRecord | undefined {
  return version === VERSION ? (structuredClone(document) as IncidentRecord) : undefined;
}

/** What tells the ids of one replica from those of another; '' if the watch is alone. */
export function idSuffix(replica: string | undefined): string {
  return replica === undefined ? '' : `-${mixedHash(replica).toString(36)}`;
}

/** In time order, and bounded. */
export function addStepTo(timeline: IncidentStep[], step: NewStep): void {
  timeline.push({ captureId: null, ...step });
  // The beginning and the end matter; the middle may be dropped.
  if (timeline.length > MAX_STEPS) timeline.splice(MAX_STEPS / 2, 1);
}

/** `i-20261115-1957`, with `-2`, `-3` ... if there are several in one minute. */
export function newIncidentId(
  prefix: 'i' | 'c',
  at: number,
  known: ReadonlyMap<string, unknown>,
  suffix: string,
): string {
  const minute = new Date(at * 1000).toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
  const base = `${prefix}-${minute}${suffix}`;
  if (!known.has(base)) return base;
  for (let n = 2; ; n++) if (!known.has(`${base}-${n}`)) return `${base}-${n}`;
}

/** The oldest of too many closed ones are dropped; the store keeps them until their time is over. */
export function forgetClosed(
  records: Map<string, Pick<IncidentRecord, 'id' | 'openedAt' | 'closedAt'>>,
  most: number = MAX_CLOSED,
): void {
  const closed = [...records.values()].filter(({ closedAt }) => closedAt !== null);
  if (closed.length <= most) return;
  closed.sort((a, b) => a.openedAt - b.openedAt);
  for (const { id } of closed.slice(0, closed.length - most)) records.delete(id);
}
