/** The headline of the fleet. */
import { formatCount, limitIn } from '../../base/say.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { FleetEntry } from './fleet-entry.ts';
import type { FleetTotals } from './fleet-totals.ts';

export type FleetIncidents = Pick<WatchState, 'incidents'>;

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
