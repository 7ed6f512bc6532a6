/** What is known about targets without their history: enough to count them, and to say how the fleet is. */
import type { FleetCohort, FleetCohorts, FleetRow } from './fleet.ts';
import { mayLeak, type Verdict } from '../../judge/verdict.ts';
import { isSelf, type WatchedTarget } from '../state/watched-target.ts';
import { finiteOrNull } from '../../base/finite.ts';
import { shownResourceOf } from '../incidents/cause-phrases.ts';
import type { Attributes } from '../../evidence/target.ts';
import { formatCount, limitIn } from '../../base/say.ts';
import type { WatchState } from '../state/watch-state.ts';

/** People look at these first. */
const USUAL = ['version', 'cluster', 'pool', 'kernel', 'zone'];

/** The headline and the counts are about what is watched, not about Oakum itself. */
export class FleetTotals {
  readonly counts: Record<Verdict, number> = noVerdicts();
  watched = 0;
  /** How many have answered at least once. */
  seen = 0;
  /** How many are not judged yet because their past is being read. */
  awaitingHistory = 0;
  readonly leaking: FleetEntry[] = [];
  readonly withIncident: FleetEntry[] = [];
  /** The versions of those that are not suspected. */
  readonly calmVersions: Set<string> = new Set();
  #rows = 0;
  readonly #attributes = new Map<string, AttributeUse>();

  add(entry: FleetEntry): void {
    this.#rows++;
    for (const key in entry.attributes) this.#use(key).add(entry.attributes[key] ?? '');
    if (isSelf(entry.target)) return;
    this.watched++;
    this.counts[entry.verdict]++;
    if (entry.lastSampleAt !== null) this.seen++;
    if (entry.awaitsHistory === true) this.awaitingHistory++;
    if (entry.verdict === 'leak') this.leaking.push(entry);
    if (!mayLeak(entry.verdict)) this.calmVersions.add(entry.attributes['version'] ?? '');
    if (entry.incidentId !== null) this.withIncident.push(entry);
  }

  /** Attributes whose values group targets, the most useful first. */
  attributes(): string[] {
    const rank = (key: string): number => (USUAL.includes(key) ? USUAL.indexOf(key) : USUAL.length);
    return [...this.#attributes]
      .filter(([key, use]) => USUAL.includes(key) || use.groups(this.#rows))
      .map(([key]) => key)
      .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  }

  #use(key: string): AttributeUse {
    let use = this.#attributes.get(key);
    if (use === undefined) this.#attributes.set(key, (use = new AttributeUse()));
    return use;
  }
}

/** Whether an attribute differs on every row, as a name does. */
class AttributeUse {
  #rows = 0;
  /** Undefined once a value came twice. */
  #values: Set<string> | undefined = new Set();

  add(value: string): void {
    this.#rows++;
    if (this.#values === undefined) return;
    if (this.#values.has(value)) this.#values = undefined;
    else this.#values.add(value);
  }

  groups(allRows: number): boolean {
    return this.#values === undefined || this.#rows < allRows;
  }
}

/** Counts the values of one attribute. */
export class CohortCounts {
  readonly #attribute: string;
  readonly #found = new Map<string, { total: number; counts: Record<Verdict, number> }>();

  constructor(attribute: string) {
    this.#attribute = attribute;
  }

  add(entry: FleetEntry): void {
    const value = valueOf(entry, this.#attribute);
    if (value === undefined) return;
    let cohort = this.#found.get(value);
    if (cohort === undefined) this.#found.set(value, (cohort = { total: 0, counts: noVerdicts() }));
    cohort.total++;
    cohort.counts[entry.verdict]++;
  }

  /** The most leaks first; `wanted` values even if they are not among the `most`. */
  view(most: number, wanted: ReadonlySet<string>): FleetCohorts {
    const all: FleetCohort[] = [...this.#found]
      .map(([value, cohort]) => ({ value, ...cohort }))
      .sort((a, b) => b.counts.leak - a.counts.leak || b.total - a.total || a.value.localeCompare(b.value));
    const values = all.filter(({ value }, i) => i < most || wanted.has(value));
    return { attribute: this.#attribute, values, moreValues: all.length - values.length };
  }
}

function noVerdicts(): Record<Verdict, number> {
  return { leak: 0, watch: 0, healthy: 0, unknown: 0 };
}

/** Every row of the fleet is one. */
export type FleetEntry = Pick<
  FleetRow,
  | 'target'
  | 'attributes'
  | 'verdict'
  | 'resource'
  | 'unit'
  | 'level'
  | 'slopePerHour'
  | 'timeToLimitHours'
  | 'lastSampleAt'
  | 'incidentId'
> & {
  /** Feature gates; rows do not show them. */
  readonly gates?: Attributes;
  readonly awaitsHistory?: boolean;
};

/** What is known about a target without its history: enough to count it, to find it and to put it in its place. */
export function entryOf(target: WatchedTarget): FleetEntry {
  const shown = shownResourceOf(target);
  const limit = shown?.timeToLimitHours;
  return {
    target: target.name,
    attributes: target.attributes,
    verdict: target.verdict?.verdict ?? 'unknown',
    resource: shown?.resource ?? (target.samples.lastAt === undefined ? null : 'live heap'),
    unit: shown?.unit ?? 'bytes',
    level: finiteOrNull(shown?.level),
    slopePerHour: finiteOrNull(shown?.slopePerHour),
    timeToLimitHours: limit === undefined || !Number.isFinite(limit[0]) ? null : [limit[0], finiteOrNull(limit[1])],
    lastSampleAt: target.samples.lastAt ?? null,
    incidentId: target.incidentId ?? null,
    gates: target.gates,
    awaitsHistory: target.awaitsHistory,
  };
}

/** The value of an attribute or a feature gate; undefined if it has none. */
export function valueOf(
  { attributes, gates }: Pick<FleetEntry, 'attributes' | 'gates'>,
  key: string,
): string | undefined {
  return attributes[key] ?? gates?.[key];
}

type FleetIncidents = Pick<WatchState, 'incidents'>;

/** The headline of the fleet. */
export function fleetSentence(state: FleetIncidents, totals: FleetTotals): string {
  const { awaitingHistory } = totals;
  const sentence = knownSentence(state, totals);
  return awaitingHistory === 0 ? sentence : `${sentence} The past of ${formatCount(awaitingHistory)} is being read.`;
}

function knownSentence(state: FleetIncidents, totals: FleetTotals): string {
  const { watched, seen, counts, leaking, awaitingHistory } = totals;
  if (watched === 0) return 'No targets yet.';
  if (seen === 0) return `None of ${formatCount(watched)} targets has answered yet.`;
  if (leaking.length === 0) {
    if (counts.watch > 0) {
      const since = sinceRestarts(state, totals.withIncident);
      return `No leak is proved${since}; ${formatCount(counts.watch)} of ${formatCount(watched)} to watch.`;
    }
    const early = counts.unknown - awaitingHistory;
    if (counts.healthy === 0)
      return `${formatCount(seen)} ${seen === 1 ? 'target answers' : 'targets answer'}${early === 0 ? '' : '; too little is known about them yet'}.`;
    const known = formatCount(watched - awaitingHistory);
    return `None of ${known} targets leaks${early === 0 ? '' : `; too little is known about ${formatCount(early)}`}.`;
  }
  const ofCohorts = cohortSentences(state, leaking);
  if (ofCohorts !== undefined) return ofCohorts;
  const toWatch = counts.watch === 0 ? '' : `; ${formatCount(counts.watch)} more to watch`;
  const limits = leaking.flatMap(({ timeToLimitHours }) => (timeToLimitHours === null ? [] : [timeToLimitHours]));
  const limit = limitIn(limits.length === 0 ? undefined : limits.reduce((a, b) => (b[0] < a[0] ? b : a)));
  const verb = leaking.length === 1 ? 'leaks' : 'leak';
  return `${formatCount(leaking.length)} of ${formatCount(watched)} targets ${verb}${onVersion(totals)}${toWatch}${
    limit === undefined ? '' : `; first ${limit}`
  }.`;
}

/** A leak that was proved before a restart must be proved again after it. */
function sinceRestarts({ incidents }: FleetIncidents, entries: readonly FleetEntry[]): string {
  const proved = entries.filter(({ incidentId }) => {
    const subject = incidents.ofTarget(incidentId)?.subject;
    return subject?.worst === 'leak' && subject.restart !== null;
  });
  const [first] = proved;
  if (first === undefined) return '';
  return ` again since ${proved.length === 1 ? `${first.target} was restarted` : `${formatCount(proved.length)} targets were restarted`}`;
}

/** Names what a cohort explains once, and then how many others leak. */
function cohortSentences(state: FleetIncidents, leaking: readonly FleetEntry[]): string | undefined {
  const open = state.incidents.openCohorts();
  if (open.length === 0) return undefined;
  const ids = new Set(open.map(({ id }) => id));
  const isFolded = ({ incidentId }: FleetEntry): boolean =>
    ids.has(state.incidents.ofTarget(incidentId)?.subject.partOf ?? '');
  const others = leaking.filter(entry => !isFolded(entry)).length;
  const rest = others === 0 ? '' : ` ${formatCount(others)} other ${others === 1 ? 'target leaks' : 'targets leak'}.`;
  return `${open.map(({ sentence }) => sentence).join(' ')}${rest}`;
}

/** If all leaking targets share a version that some calm target does not have. */
function onVersion({ leaking, calmVersions }: FleetTotals): string {
  const versions = new Set(leaking.map(({ attributes }) => attributes['version'] ?? ''));
  const [version = ''] = versions;
  if (versions.size !== 1 || version === '' || ![...calmVersions].some(calm => calm !== version)) return '';
  return `, ${leaking.length === 1 ? '' : 'all '}on ${version}`;
}
