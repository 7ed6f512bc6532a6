/** What separates targets that grow from others, and the incident of a cohort with its members, folded into it. */
import { finiteOrNull } from '../../base/finite.ts';
import { formatCount, formatHours } from '../../base/say.ts';
import { knownInVersion } from '../../judge/bisect/known-in-version.ts';
import { nextSteps } from '../../judge/bisect/next-steps.ts';
import { readChangeText } from '../incidents/phrases.ts';
import type { KnownInVersion } from '../../judge/bisect/bisection.ts';
import type { RecordedCohort } from '../../judge/detect/recorded-detection.ts';
import type {
  CohortIncidentView,
  CohortMember,
  ListedCohort,
  TargetCause,
  CohortsView,
  TargetChange,
} from '../watch-model.ts';
import { hasValue } from '../incidents/follow-cohorts.ts';
import type { CohortIncident, CohortSubject } from '../state/incidents.ts';
import { isSelf, type WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { cohortSummary, incidentSummary } from './incidents-view.ts';
import { recordedCohort } from '../../judge/detect/recorded-detection.ts';
import { mayLeak } from '../../judge/verdict.ts';

/** The page lists them all up to here; the fleet page finds the others. */
const MAX_MEMBERS = 2000;
const MAX_CAUSES = 5;
const MAX_STEPS = 8;
/** The fleet page has them all. */
const MAX_NAMES = 100;
const CHANGES_SECONDS = 14 * 86_400;

export async function cohortIncidentView(state: WatchState, incident: CohortIncident): Promise<CohortIncidentView> {
  const { id, subject, closedAt, timeline, notes } = incident;
  const members = membersOf(state, incident, await sinceTimes(state, subject));
  const known = knownOf(state, subject);
  return {
    schema: 'oakum.cohort-incident/v1',
    ...incidentSummary(state, incident),
    cohort: cohortSummary(state, id, subject.cohort),
    verdicts: subject.verdicts.map(listedCohort),
    members: members.slice(0, MAX_MEMBERS),
    moreMembers: Math.max(0, members.length - MAX_MEMBERS),
    causes: causesOf(state, id),
    known,
    timeline: [...timeline].sort((a, b) => a.at - b.at),
    notes,
    todo: closedAt === null ? todoOf(state, subject, members, known) : [],
  };
}

/** When each target got the value. */
async function sinceTimes(state: WatchState, { cohort }: CohortSubject): Promise<ReadonlyMap<string, number>> {
  const now = state.ports.clock.now();
  const since = new Map<string, number>();
  for (const { target, at, text } of await state.ports.store.records({
    kind: 'event',
    event: 'change',
    since: now - CHANGES_SECONDS,
    until: now,
  })) {
    const change = readChangeText(text);
    if (change?.attribute === cohort.attribute && change.to === cohort.value) since.set(target, at);
  }
  return since;
}

const ROLES: readonly CohortMember['role'][] = ['grows', 'against', 'early'];

function membersOf(state: WatchState, incident: CohortIncident, since: ReadonlyMap<string, number>): CohortMember[] {
  const { verdicts } = incident.subject;
  const growing = new Set(verdicts.flatMap(({ leaking }) => leaking));
  const against = new Map(verdicts.flatMap(one => one.against.map(example => [example.target, example] as const)));
  const folded = new Map(state.incidents.foldedInto(incident.id).map(one => [one.subject.target, one.id]));
  const members = [...state.targets.values()]
    // For a closed one, those that were folded into it.
    .filter(target => (incident.closedAt === null ? hasValue(target, incident) : folded.has(target.name)))
    .map((target): CohortMember => {
      const example = growing.has(target.name) ? undefined : against.get(target.name);
      return {
        target: target.name,
        role: growing.has(target.name) ? 'grows' : example === undefined ? 'early' : 'against',
        ...figuresOf(target, verdicts),
        since: since.get(target.name) ?? null,
        differs: example?.differs ?? [],
        incidentId: folded.get(target.name) ?? target.incidentId ?? null,
      };
    });
  const rate = ({ slopePerHour }: CohortMember): number => slopePerHour ?? -Infinity;
  return members.sort(
    (a, b) =>
      ROLES.indexOf(a.role) - ROLES.indexOf(b.role) ||
      (rate(a) === rate(b) ? 0 : rate(b) - rate(a)) ||
      (a.target < b.target ? -1 : 1),
  );
}

/** For the resource that leaks with the cohort. */
function figuresOf(
  target: WatchedTarget,
  [worst]: readonly RecordedCohort[],
): Pick<CohortMember, 'verdict' | 'resource' | 'unit' | 'slopePerHour' | 'timeToLimitHours'> {
  const one = (worst && target.verdictOf(worst.resource)) ?? target.worst;
  const limit = one?.timeToLimitHours;
  return {
    verdict: one?.verdict ?? 'unknown',
    resource: one?.resource ?? null,
    unit: one?.unit ?? 'bytes',
    slopePerHour: finiteOrNull(one?.slopePerHour),
    timeToLimitHours: limit === undefined || !Number.isFinite(limit[0]) ? null : [limit[0], finiteOrNull(limit[1])],
  };
}

function causesOf({ incidents }: WatchState, id: string): CohortIncidentView['causes'] {
  const found = new Map<string, { cause: TargetCause; targets: number }>();
  for (const { cause } of incidents.foldedInto(id).map(({ subject }) => subject)) {
    if (cause === null) continue;
    const known = found.get(cause.text) ?? { cause, targets: 0 };
    found.set(cause.text, { ...known, targets: known.targets + 1 });
  }
  return [...found.values()].sort((a, b) => b.targets - a.targets).slice(0, MAX_CAUSES);
}

function knownOf({ ports, targets }: WatchState, { verdicts }: CohortSubject): KnownInVersion[] {
  const components = verdicts.flatMap(({ leaking }) => leaking.map(name => targets.get(name)?.component ?? ''));
  const component = components.find(name => name !== '') ?? '';
  const known = verdicts.flatMap(one => knownInVersion(one, ports.catalogue, component));
  return [...new Map(known.map(one => [one.id, one])).values()];
}

function todoOf(
  { targets }: WatchState,
  { verdicts }: CohortSubject,
  members: readonly CohortMember[],
  known: readonly KnownInVersion[],
): string[] {
  const count = [...targets.keys()].filter(name => !isSelf(name)).length;
  const steps = [...new Set(verdicts.flatMap(one => nextSteps(one, known, count)))];
  const limited = members.filter(({ timeToLimitHours }) => timeToLimitHours !== null);
  const first = limited.sort((a, b) => (a.timeToLimitHours?.[0] ?? 0) - (b.timeToLimitHours?.[0] ?? 0))[0];
  const hours = first?.timeToLimitHours ?? null;
  if (first !== undefined && hours !== null && Number.isFinite(hours[0]))
    steps.push(
      `restart ${first.target} first: its limit is the nearest, in ${formatHours(hours)} (${formatCount(limited.length)} have one in sight)`,
    );
  return steps.slice(0, MAX_STEPS);
}

/** A cohort as the API lists it: in a large fleet, with the names of some of its targets. */
function listedCohort(cohort: RecordedCohort): ListedCohort {
  return { ...cohort, leaking: cohort.leaking.slice(0, MAX_NAMES), leakingCount: cohort.leaking.length };
}

/** Of attributes, in one answer. */
const MAX_CHANGES = 20_000;
/** In a large fleet, cohorts without a finding are left out beyond this many. */
const MAX_COHORTS = 500;

/** With so many changes at most; none are read for 0. */
export async function cohortsView(state: WatchState, mostChanges: number = MAX_CHANGES): Promise<CohortsView> {
  const now = state.ports.clock.now();
  const { cohorts } = state;
  return {
    schema: 'oakum.cohorts/v1',
    at: now,
    sentence: sentenceOf(state),
    cohorts: cohorts.slice(0, MAX_COHORTS).map(one => listedCohort(recordedCohort(one))),
    changes: mostChanges === 0 ? [] : (await changesIn(state, now)).slice(-mostChanges),
    incidents: state.incidents.openCohorts().map(incident => incidentSummary(state, incident)),
  };
}

async function changesIn({ ports }: WatchState, now: number): Promise<TargetChange[]> {
  const events = await ports.store.records({
    kind: 'event',
    event: 'change',
    since: now - CHANGES_SECONDS,
    until: now,
  });
  return events.flatMap(({ target, at, text }) => {
    const change = readChangeText(text);
    return change === undefined ? [] : [{ at, target, ...change }];
  });
}

function sentenceOf({ cohorts }: WatchState): string {
  const [worst] = cohorts;
  if (worst === undefined) return 'Nothing is known that tells targets apart.';
  if (mayLeak(worst.verdict)) return `${worst.sentence}.`;
  return 'No attribute separates targets that grow from others.';
}
