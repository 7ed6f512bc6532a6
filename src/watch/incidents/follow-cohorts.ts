/**
 * Turns verdicts on cohorts into incidents, and folds the incidents of their targets into them: of 500 nodes that leak
 * with one version, there is one incident to look at.
 */
import { type CohortVerdict, changeableAliases, clustersText } from '../../judge/cohorts/cohort-model.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { recordedCohort } from '../../judge/detect/recorded-cohort.ts';
import type { CohortIncidentRecord } from '../state/cohort-incident-records.ts';
import { addStepTo, type IncidentRecord } from '../state/incident-records.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import { tellOfFleet, type WatchState } from '../state/watch-state.ts';
import { formatCount } from '../../base/say.ts';
import { GATE_PREFIX } from '../../evidence/attributes-of-series.ts';
import { nodeName } from '../../evidence/target.ts';

const ROLLED_OUT = /^(?:version|go|kernel|os|runtime|image|config|daemonset\/.*)$/;

/** In the detector's hours: if nothing with the value grows for this long, the incident is over. */
const QUIET_HOURS = 24;
/** The timeline says that more targets grow when there are this many times as many. */
const WORTH_TELLING = 1.25;

/** After each judgement of the cohorts, before the verdicts on targets are followed. */
export function followCohorts(state: WatchState, now: number): void {
  const open = new Map(state.cohortIncidents.allOpen().map(record => [keyOf(record.cohort), record]));
  const found = new Map<string, CohortVerdict[]>();
  for (const verdict of state.cohorts) {
    if (!mayLeak(verdict.verdict)) continue;
    const key = keyOf(verdict);
    found.set(key, [...(found.get(key) ?? []), verdict]);
  }
  for (const [key, verdicts] of found) {
    const record = open.get(key);
    if (record !== undefined) followOpen(state, record, verdicts, now);
    else if (verdicts.some(({ verdict }) => verdict === 'leak')) openCohortIncident(state, verdicts, now);
  }
  for (const [key, record] of open) if (!found.has(key)) followQuiet(state, record, now);
}

/** After each evaluation: members that got an incident since belong to that of their cohort. */
export function foldMembers(state: WatchState): void {
  for (const record of state.cohortIncidents.allOpen()) {
    for (const target of state.targets.values()) {
      const incident = target.incidentId === undefined ? undefined : state.incidents.get(target.incidentId);
      if (incident === undefined || incident.partOf !== undefined || !belongs(record, target, incident)) continue;
      incident.partOf = record.id;
      state.incidents.saveAsLeader(incident);
      state.emit({ kind: 'incident', id: incident.id, at: state.ports.clock.now() });
    }
  }
}

/** Whether a new incident of this target will be folded: then the log stays silent about it. */
export function isOfKnownCohort(state: WatchState, target: WatchedTarget): boolean {
  return state.cohortIncidents
    .allOpen()
    .some(record => hasValue(target, record) && !speaksAgainst(record, target.name));
}

/** Those that grow with the cohort, and those with the value that were not observed for long enough. */
function belongs(record: CohortIncidentRecord, target: WatchedTarget, incident: IncidentRecord): boolean {
  if (!hasValue(target, record)) return false;
  if (record.verdicts.some(({ leaking }) => leaking.includes(target.name))) return true;
  const isSame = record.verdicts.some(({ resource }) => resource === incident.resource);
  return isSame && !speaksAgainst(record, target.name);
}

export function hasValue({ attributes, gates }: WatchedTarget, { cohort }: CohortIncidentRecord): boolean {
  return (attributes[cohort.attribute] ?? gates[cohort.attribute]) === cohort.value;
}

function speaksAgainst({ verdicts }: CohortIncidentRecord, target: string): boolean {
  return verdicts.some(({ against }) => against.some(one => one.target === target));
}

function openCohortIncident(state: WatchState, found: readonly CohortVerdict[], now: number): void {
  const verdicts = found.filter(({ verdict }) => verdict === 'leak').map(recordedCohort);
  const [{ attribute, value, sinceSeconds }] = found as [CohortVerdict];
  const record = state.cohortIncidents.open({ cohort: { attribute, value }, openedAt: now, verdicts });
  if (sinceSeconds !== undefined && Number.isFinite(sinceSeconds))
    addStepTo(record.timeline, { at: sinceSeconds, kind: 'note', text: `the first target got ${attribute} ${value}` });
  for (const { sentence } of verdicts)
    addStepTo(record.timeline, { at: now, kind: 'leak', text: `proved: ${sentence}` });
  record.toldGrowing = growingIn(record);
  update(state, record, now);
  tellOfFleet(state, { at: now, kind: 'event', incidentId: record.id, text: record.sentence });
}

function followOpen(
  state: WatchState,
  record: CohortIncidentRecord,
  found: readonly CohortVerdict[],
  now: number,
): void {
  record.quietSince = null;
  // What is proved stays in the record while it is only watched: the proof may waver with the hour.
  const proved = found.filter(
    ({ verdict, resource }) => verdict === 'leak' || record.verdicts.some(one => one.resource === resource),
  );
  for (const { resource, sentence } of proved)
    if (!record.verdicts.some(one => one.resource === resource))
      addStepTo(record.timeline, { at: now, kind: 'leak', text: `proved: ${sentence}` });
  const kept = record.verdicts.filter(({ resource }) => !proved.some(one => one.resource === resource));
  record.verdicts = [...proved.map(recordedCohort), ...kept];
  const growing = growingIn(record);
  if (growing >= WORTH_TELLING * record.toldGrowing) {
    addStepTo(record.timeline, {
      at: now,
      kind: 'note',
      text: `${growing} targets grow, ${record.toldGrowing} before`,
    });
    record.toldGrowing = growing;
  }
  update(state, record, now);
}

function followQuiet(state: WatchState, record: CohortIncidentRecord, now: number): void {
  const isGone = ![...state.targets.values()].some(target => hasValue(target, record));
  record.quietSince ??= now;
  const quietSeconds = (QUIET_HOURS * 3600) / state.options.timeScale;
  const { attribute, value } = record.cohort;
  if (isGone) close(state, record, now, `no target has ${attribute} ${value} any more`);
  else if (now - record.quietSince >= quietSeconds) close(state, record, now, 'nothing with it grows any more');
  else state.cohortIncidents.save(record);
}

function close(state: WatchState, record: CohortIncidentRecord, now: number, why: string): void {
  record.closedAt = now;
  addStepTo(record.timeline, { at: now, kind: 'cleared', text: why });
  update(state, record, now);
  const text = `incident ${record.id} closed: ${why}`;
  tellOfFleet(state, { at: now, kind: 'event', incidentId: record.id, text });
}

function update(state: WatchState, record: CohortIncidentRecord, now: number): void {
  record.sentence = cohortSentence(state, record);
  state.cohortIncidents.save(record);
  state.emit({ kind: 'incident', id: record.id, at: now });
}

function growingIn({ verdicts }: CohortIncidentRecord): number {
  return new Set(verdicts.flatMap(({ leaking }) => leaking)).size;
}

function keyOf({ attribute, value }: { readonly attribute: string; readonly value: string }): string {
  return JSON.stringify([attribute, value]);
}

/**
 * The sentence of a cohort's incident: what leaks, on how many, and what to do about it.
 *
 * `v1.36.0 leaks on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout`; over several clusters
 * `v1.36.0 leaks in 7 of 7 clusters that have it, on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout`
 */
function cohortSentence(state: WatchState, record: CohortIncidentRecord): string {
  const [worst] = record.verdicts;
  if (worst === undefined) return '';
  const { attribute, value, leaking, observed, targets, controls, controlsLeaking, clusters } = worst;
  const name = [worst, ...changeableAliases(worst)].map(one => cohortName(one)).join(' or ');
  const things = leaking.every(target => nodeName(target) !== undefined) ? 'node' : 'target';
  const early = targets > observed ? `, ${formatCount(targets - observed)} not yet compared` : '';
  const verb = record.closedAt === null ? 'leaks' : 'leaked';
  const where = clusters === undefined ? '' : `${clustersText(clusters)}, `;
  const found =
    `${name} ${verb} ${where}on ${formatCount(leaking.length)} of ${formatCount(observed)} ${things}${observed === 1 ? '' : 's'}${early}, ` +
    `${formatCount(controlsLeaking)} of ${formatCount(controls)} elsewhere`;
  if (record.closedAt !== null) return `${found}; it is over.`;
  return `${found}${actionFor(state, attribute, value)}.`;
}

/** A version says what it is by itself. */
function cohortName({ attribute, value }: { readonly attribute: string; readonly value: string }): string {
  return attribute === 'version' ? value : `${attribute} ${value}`;
}

function actionFor({ targets }: WatchState, attribute: string, value: string): string {
  if (attribute.startsWith(GATE_PREFIX)) return `: turn it ${value === 'on' ? 'off' : 'on'}`;
  // A pool or a zone is not rolled out.
  if (!ROLLED_OUT.test(attribute)) return '';
  const isEverywhere = [...targets.values()].every(
    ({ attributes }) => attributes[attribute] === undefined || attributes[attribute] === value,
  );
  return isEverywhere ? ': no target is left without it' : ': stop the rollout';
}
