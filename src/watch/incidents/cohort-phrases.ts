/** The sentence of a cohort's incident: what leaks, on how many, and what to do about it. */
import { formatCount } from '../../base/quantities.ts';
import { GATE_PREFIX } from '../../evidence/attributes-of-series.ts';
import { changeableAliases, clustersText } from '../../judge/cohorts/cohort-model.ts';
import { nodeName } from '../../evidence/target.ts';
import type { CohortIncidentRecord } from '../state/cohort-incident-records.ts';
import type { WatchState } from '../state/watch-state.ts';

/**
 * `v1.36.0 leaks on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout`; over several clusters
 * `v1.36.0 leaks in 7 of 7 clusters that have it, on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout`
 */
export function cohortSentence(state: WatchState, record: CohortIncidentRecord): string {
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
export function cohortName({ attribute, value }: { readonly attribute: string; readonly value: string }): string {
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

const ROLLED_OUT = /^(?:version|go|kernel|os|runtime|image|config|daemonset\/.*)$/;
