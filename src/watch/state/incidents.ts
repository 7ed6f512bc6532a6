/**
 * Incidents: what was found about a target or a cohort over time, until nothing grows any more.
 *
 *     i-20261115-1957   of a target, from the first suspicion
 *     c-20261115-1957   of a cohort, from the proof that a value leaks; the incidents of its targets are folded into it
 */
import { mixedHash } from '../../base/text.ts';
import type { CohortName } from '../../judge/cohorts/cohort-model.ts';
import type { RecordedCohort } from '../../judge/detect/recorded-detection.ts';
import type { IncidentNote, IncidentStep, TargetCause } from '../watch-model.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { StoredIncident } from '../../store/records.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { AfterRestart, RestartSlopes } from '../../judge/cycle/after-restart.ts';

/** What is stored of an incident; everything else is derived from it and the store on request. */
interface IncidentOn<Subject> {
  readonly id: string;
  readonly subject: Subject;
  readonly openedAt: number;
  closedAt: number | null;
  sentence: string;
  timeline: IncidentStep[];
  /** Since when nothing grows; null while something does. */
  quietSince: number | null;
  notes: readonly IncidentNote[];
}

export interface TargetSubject {
  readonly kind: 'target';
  readonly target: string;
  resource: Resource;
  unit: 'bytes' | 'count';
  metric: string;
  verdict: Verdict;
  /** The worst verdict so far. */
  worst: Verdict;
  captureIds: string[];
  /** The last restart while it was open. */
  restart: { readonly at: number; readonly startSeconds: number; readonly lifeBeganAt: number } | null;
  /** Documents of older versions have no slopes and no time. */
  afterRestart: {
    readonly verdict: AfterRestart;
    readonly text: string;
    readonly slopes?: RestartSlopes | null;
    readonly at?: number;
  } | null;
  /** References of known leaks that its captures match: `kubernetes#139823`. */
  matches: string[];
  /** What its captures show as the cause. */
  cause: TargetCause | null;
  /** The incident of the cohort that it is folded into. Absent if it stands alone. */
  partOf?: string;
}

export interface CohortSubject {
  readonly kind: 'cohort';
  readonly cohort: CohortName;
  /** What was last found about each resource that leaks, the worst first. */
  verdicts: readonly RecordedCohort[];
  /** How many targets grew according to the newest step of the timeline that says so. */
  toldGrowing: number;
}

export type TargetIncident = IncidentOn<TargetSubject>;
export type CohortIncident = IncidentOn<CohortSubject>;
export type Incident = TargetIncident | CohortIncident;

export function isOfCohort(incident: Incident): incident is CohortIncident {
  return incident.subject.kind === 'cohort';
}

/** `node/worker-17`, `version v1.36.0` */
export function subjectName({ subject }: Incident): string {
  return subject.kind === 'target' ? subject.target : `${subject.cohort.attribute} ${subject.cohort.value}`;
}

const MAX_STEPS = 300;
export const MAX_NOTES = 200;
/** The store keeps more, until their time is over. */
const MAX_CLOSED = { target: 1000, cohort: 200 };

type NewSubject =
  | Pick<TargetSubject, 'kind' | 'target' | 'resource' | 'unit' | 'metric' | 'verdict'>
  | Pick<CohortSubject, 'kind' | 'cohort' | 'verdicts'>;

interface SavePorts {
  readonly save: (incident: StoredIncident) => void;
  /** Used for what only the leader of replicas decides. */
  readonly saveAsLeader: (incident: StoredIncident) => void;
}

export class Incidents {
  readonly #targets = new Map<string, TargetIncident>();
  readonly #cohorts = new Map<string, CohortIncident>();
  readonly #ports: SavePorts;
  readonly #suffix: string;

  constructor(ports: SavePorts, suffix = '') {
    this.#ports = ports;
    this.#suffix = suffix;
  }

  /** Loads the incidents of an earlier run; documents of another version stay in the store. */
  load(stored: readonly StoredIncident[]): void {
    for (const one of stored) {
      const incident = readIncident(one);
      if (incident !== undefined) this.#set(incident);
    }
  }

  /** As another replica knows it; not saved. */
  put(incident: Incident): void {
    this.#set(incident);
    this.#forgetClosed(incident.subject.kind);
  }

  open(about: Extract<NewSubject, { kind: 'target' }>, openedAt: number): TargetIncident;
  open(about: Extract<NewSubject, { kind: 'cohort' }>, openedAt: number): CohortIncident;
  open(about: NewSubject, openedAt: number): Incident {
    const subject: TargetSubject | CohortSubject =
      about.kind === 'target'
        ? {
            ...about,
            worst: about.verdict,
            captureIds: [],
            restart: null,
            afterRestart: null,
            matches: [],
            cause: null,
          }
        : { ...about, toldGrowing: 0 };
    const incident = {
      id: this.#newId(about.kind, openedAt),
      subject,
      openedAt,
      closedAt: null,
      sentence: '',
      timeline: [],
      quietSince: null,
      notes: [],
    } as Incident;
    this.put(incident);
    return incident;
  }

  get(id: string): Incident | undefined {
    return this.#targets.get(id) ?? this.#cohorts.get(id);
  }

  ofTarget(id: string | null | undefined): TargetIncident | undefined {
    return this.#targets.get(id ?? '');
  }

  ofCohort(id: string | null | undefined): CohortIncident | undefined {
    return this.#cohorts.get(id ?? '');
  }

  /** In no order. */
  onTargets(): Iterable<TargetIncident> {
    return this.#targets.values();
  }

  /** Newest first. */
  targets(): TargetIncident[] {
    return newestFirst(this.#targets.values());
  }

  /** Newest first. */
  cohorts(): CohortIncident[] {
    return newestFirst(this.#cohorts.values());
  }

  /** Newest first. */
  openCohorts(): CohortIncident[] {
    return this.cohorts().filter(({ closedAt }) => closedAt === null);
  }

  foldedInto(cohortId: string): TargetIncident[] {
    return [...this.#targets.values()].filter(({ subject }) => subject.partOf === cohortId);
  }

  save(incident: Incident): void {
    if (isOfCohort(incident)) this.saveAsLeader(incident);
    else this.#ports.save(storedIncident(incident));
  }

  /** Only if this replica still leads then. */
  saveAsLeader(incident: Incident): void {
    this.#ports.saveAsLeader(storedIncident(incident));
  }

  /** For when what is in memory may be wrong, and is read again. */
  clear(): void {
    this.#targets.clear();
    this.#cohorts.clear();
  }

  #set(incident: Incident): void {
    if (isOfCohort(incident)) this.#cohorts.set(incident.id, incident);
    else this.#targets.set(incident.id, incident as TargetIncident);
  }

  /** `i-20261115-1957`, with `-2`, `-3` ... if there are several in one minute. */
  #newId(kind: keyof typeof MAX_CLOSED, at: number): string {
    const minute = new Date(at * 1000).toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
    const base = `${kind === 'target' ? 'i' : 'c'}-${minute}${this.#suffix}`;
    if (this.get(base) === undefined) return base;
    for (let n = 2; ; n++) if (this.get(`${base}-${n}`) === undefined) return `${base}-${n}`;
  }

  /** Drops the oldest. */
  #forgetClosed(kind: keyof typeof MAX_CLOSED): void {
    const incidents: Map<string, Incident> = kind === 'target' ? this.#targets : this.#cohorts;
    const closed = [...incidents.values()].filter(({ closedAt }) => closedAt !== null);
    const excess = closed.length - MAX_CLOSED[kind];
    if (excess <= 0) return;
    closed.sort((a, b) => a.openedAt - b.openedAt);
    for (const { id } of closed.slice(0, excess)) incidents.delete(id);
  }
}

function newestFirst<T extends Incident>(incidents: Iterable<T>): T[] {
  return [...incidents].sort((a, b) => b.openedAt - a.openedAt || (a.id < b.id ? 1 : -1));
}

/** In time order, and bounded. */
export function addStep(
  { timeline }: Incident,
  step: Omit<IncidentStep, 'captureId'> & { readonly captureId?: string },
): void {
  timeline.push({ captureId: null, ...step });
  // The beginning and the end matter; the middle may be dropped.
  if (timeline.length > MAX_STEPS) timeline.splice(MAX_STEPS / 2, 1);
}

/** What tells the ids of one replica from those of another; '' if the watch is alone. */
export function idSuffix(replica: string | undefined): string {
  return replica === undefined ? '' : `-${mixedHash(replica).toString(36)}`;
}

/** The documents of the two kinds have versions far apart, so that neither is read as the other. */
const VERSIONS = { target: 1, cohort: 1001 };

/** A document is flat: `{ id, target, resource, ..., openedAt, closedAt, ... }` or `{ id, cohort, verdicts, ... }`. */
function storedIncident(incident: Incident): StoredIncident {
  const { subject, notes, ...life } = structuredClone(incident);
  const { kind, ...about } = subject;
  const document = { ...life, ...about, ...(kind === 'target' && notes.length === 0 ? {} : { notes }) };
  const { id, openedAt, closedAt } = incident;
  return { id, target: subjectName(incident), openedAt, closedAt, version: VERSIONS[kind], document };
}

/** Undefined if the document is of another version. */
export function readIncident({ version, document }: StoredIncident): Incident | undefined {
  const kind = version === VERSIONS.target ? 'target' : version === VERSIONS.cohort ? 'cohort' : undefined;
  if (kind === undefined) return undefined;
  const { id, openedAt, closedAt, sentence, timeline, quietSince, notes, ...about } = structuredClone(document) as Omit<
    Incident,
    'subject'
  > &
    Omit<TargetSubject, 'kind'>;
  // Documents of older versions have neither a cause nor notes.
  const subject = kind === 'target' ? { kind, ...about, cause: about.cause ?? null } : { kind, ...about };
  return { id, subject, openedAt, closedAt, sentence, timeline, quietSince, notes: notes ?? [] } as Incident;
}
