/** Watch's own figures, and what is known about targets and cohorts, in OpenMetrics, without the final `# EOF`. */
import { type Verdict, compareVerdicts, mayLeak } from '../../judge/verdict.ts';
import type { WatchState } from '../state/watch-state.ts';
import { replicasView } from './status-view.ts';
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { ResourceVerdict, TargetVerdict } from '../../judge/detect/detection.ts';

interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** Labels, as written between braces, and value. */
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

export function selfMetrics(state: WatchState, self: Readonly<Record<string, number>>, lateCount: number): string {
  const { counters, targets, ports, options } = state;
  const verdicts: Record<Verdict, number> = { leak: 0, watch: 0, healthy: 0, unknown: 0 };
  let [silent, unread] = [0, 0];
  for (const { verdict, silentWhy, phase } of targets.values()) {
    if (phase.needsReading) unread++;
    verdicts[verdict?.verdict ?? 'unknown']++;
    if (silentWhy !== undefined) silent++;
  }
  const cohorts = state.incidents.openCohorts();
  const open = [...state.incidents.onTargets()].filter(({ closedAt }) => closedAt === null);
  // What is folded into the incident of a cohort is no incident of its own, unless that one is over.
  const folded = open.filter(({ subject }) => cohorts.some(({ id }) => id === subject.partOf)).length;
  const store = ports.store.status();
  const one = (name: string, type: Family['type'], help: string, value: number): Family => ({
    name,
    type,
    help,
    samples: [['', value]],
  });
  const families: Family[] = [
    { name: 'oakum_build', type: 'gauge', help: 'Always 1', samples: [[`version="${options.oakumVersion}"`, 1]] },
    {
      name: 'oakum_targets',
      type: 'gauge',
      help: 'Targets by verdict',
      samples: Object.entries(verdicts).map(([verdict, count]) => [`verdict="${verdict}"`, count] as const),
    },
    one('oakum_silent_targets', 'gauge', 'Targets that do not answer', silent),
    one('oakum_unread_targets', 'gauge', 'Targets whose past is not read from the store yet', unread),
    one(
      'oakum_incidents_open',
      'gauge',
      'Open incidents, of targets and cohorts',
      open.length - folded + cohorts.length,
    ),
    one(
      'oakum_incidents_folded',
      'gauge',
      'Open incidents of targets that are part of the incident of a cohort',
      folded,
    ),
    one('oakum_cohort_incidents_open', 'gauge', 'Open incidents of cohorts', cohorts.length),
    one('oakum_samples', 'counter', 'Samples taken', counters.samples),
    one('oakum_sample_failures', 'counter', 'Times a target did not answer', counters.failures),
    one('oakum_samples_late', 'counter', 'Times a target was scraped too late', lateCount),
    one('oakum_evaluations', 'counter', 'Times the whole fleet was judged', counters.evaluations),
    one('oakum_evaluation_seconds', 'gauge', 'How long the last evaluation took', counters.evaluationSeconds),
    one('oakum_commits', 'counter', 'Commits to the store', counters.commits),
    one('oakum_commit_seconds', 'counter', 'Time that commits to the store took', counters.commitSeconds),
    one('oakum_captures', 'counter', 'Captures taken', counters.captures),
    one('oakum_capture_failures', 'counter', 'Captures that failed', counters.failedCaptures),
    one('oakum_captures_put_off', 'counter', 'Captures that were put off for lack of budget', counters.putOffCaptures),
    one('oakum_past_profiles', 'counter', 'Profiles read from the continuous profiler', counters.profilerProfiles),
    one(
      'oakum_past_profile_failures',
      'counter',
      'Times the continuous profiler gave none',
      counters.failedProfilerReads,
    ),
    one('oakum_store_bytes', 'gauge', 'Size of the store', store.bytes),
    one('oakum_store_degraded', 'gauge', '1 while the store cannot keep everything', store.degraded === null ? 0 : 1),
    one('oakum_store_lost_samples', 'counter', 'Samples that could not be kept', store.lostSamples),
    ...replicaFamilies(state),
    ...Object.entries(self).map(([name, value]) =>
      name.endsWith('_total')
        ? one(name.slice(0, -'_total'.length), 'counter', 'Of the process', value)
        : one(name, 'gauge', 'Of the process', value),
    ),
  ];
  return families.map(familyText).join('');
}

function replicaFamilies({ share, targets }: WatchState): Family[] {
  if (share.id === undefined) return [];
  const { shares } = replicasView({ share, targets }, share.id);
  const gauge = (name: string, help: string, samples: Family['samples']): Family => ({
    name,
    type: 'gauge',
    help,
    samples,
  });
  return [
    gauge('oakum_replicas', 'Replicas that live', [['', share.members.length]]),
    gauge('oakum_replica_leads', '1 if this replica leads', [['', share.isLeader ? 1 : 0]]),
    gauge('oakum_replica_term', 'The term of the leader that this replica knows', [['', share.leader?.term ?? 0]]),
    gauge('oakum_replica_cut_off', '1 if this replica cannot reach the others', [['', share.trouble === null ? 0 : 1]]),
    gauge(
      'oakum_replica_targets',
      'Targets that each replica samples',
      Object.entries(shares).map(([id, count]) => [`replica="${id}"`, count] as const),
    ),
  ];
}

function familyText({ name, type, help, samples }: Family): string {
  const suffix = type === 'counter' ? '_total' : '';
  const lines = samples.map(([labels, value]) => `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${value}\n`);
  return `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const MAX_TARGETS = 500;
const MAX_COHORTS = 100;
const MAX_LABEL_LENGTH = 200;

type Labels = readonly (readonly [name: string, value: string])[];
type Sample = readonly [labels: Labels, value: number];

/**
 * What is known about targets and cohorts, in OpenMetrics, so that people can alert in their own way. Only what is
 * suspected or proved, and not more than a bound: a fleet of 20,000 nodes must not become 100,000 series.
 */
export function targetMetrics({ targets, cohorts }: Pick<WatchState, 'targets' | 'cohorts'>): string {
  const suspected: { readonly name: string; readonly verdict: TargetVerdict }[] = [];
  for (const { name, verdict } of targets.values())
    if (verdict !== undefined && mayLeak(verdict.verdict)) suspected.push({ name, verdict });
  suspected.sort((a, b) => compareVerdicts(a.verdict.verdict, b.verdict.verdict) || (a.name < b.name ? -1 : 1));
  const rows = suspected.slice(0, MAX_TARGETS).flatMap(({ name, verdict }) =>
    verdict.resources
      .filter(one => mayLeak(one.verdict))
      .map(one => ({
        labels: [
          ['target', name],
          ['resource', one.resource],
        ] as Labels,
        one,
      })),
  );
  const growing = cohorts.filter(({ verdict }) => mayLeak(verdict)).slice(0, MAX_COHORTS);
  return [
    family('oakum_target_verdict', '1 for each resource of a target that is suspected or proved to leak', [
      ...rows.map(({ labels, one }): Sample => [[...labels, ['verdict', one.verdict]], 1]),
    ]),
    family('oakum_target_growth_per_hour', 'Growth that pods and churn do not explain, in bytes or a count', [
      ...rows.flatMap(({ labels, one }) => finiteSample(labels, one.slopePerHour)),
    ]),
    family('oakum_target_limit_seconds', 'Time to the limit, 90 % interval', [
      ...rows.flatMap(({ labels, one }) => limitSamples(labels, one)),
    ]),
    family('oakum_targets_not_exported', 'Suspected targets beyond the bound of these series', [
      [[], Math.max(0, suspected.length - MAX_TARGETS)],
    ]),
    family('oakum_cohort_verdict', '1 for each attribute value that comes with growth', [
      ...growing.map((one): Sample => [[...cohortLabels(one), ['verdict', one.verdict]], 1]),
    ]),
    family('oakum_cohort_growth_per_hour', 'Growth per target with the value, in bytes or a count', [
      ...growing.flatMap(one => finiteSample(cohortLabels(one), one.ratePerHour[1])),
    ]),
    family('oakum_cohort_targets', 'Targets with the value, and those of them that grow', [
      ...growing.flatMap((one): Sample[] => [
        [[...cohortLabels(one), ['state', 'observed']], one.observed],
        [[...cohortLabels(one), ['state', 'leaking']], one.leaking.length],
      ]),
    ]),
    family('oakum_cohort_limit_seconds', 'Time until the first target with the value may reach its limit', [
      ...growing.flatMap(one => finiteSample(cohortLabels(one), firstLimitSeconds(one, targets))),
    ]),
  ].join('');
}

function limitSamples(labels: Labels, { timeToLimitHours }: ResourceVerdict): Sample[] {
  if (timeToLimitHours === undefined) return [];
  const [low, high] = timeToLimitHours;
  return [
    ...finiteSample([...labels, ['bound', 'low']], low * 3600),
    ...finiteSample([...labels, ['bound', 'high']], high * 3600),
  ];
}

/** Infinity if none has a limit in sight. */
function firstLimitSeconds({ leaking, resource }: CohortVerdict, targets: WatchState['targets']): number {
  const hours = leaking.map(name => targets.get(name)?.verdictOf(resource)?.timeToLimitHours?.[0] ?? Infinity);
  return hours.reduce((first, one) => Math.min(first, one), Infinity) * 3600;
}

function finiteSample(labels: Labels, value: number): Sample[] {
  return Number.isFinite(value) ? [[labels, value]] : [];
}

function cohortLabels({ attribute, value, resource }: CohortVerdict): Labels {
  return [
    ['attribute', attribute],
    ['value', value],
    ['resource', resource],
  ];
}

function family(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => {
    const text = labels.map(([label, given]) => `${label}="${escaped(given)}"`).join(',');
    return `${name}${text === '' ? '' : `{${text}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}.\n# TYPE ${name} gauge\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.slice(0, MAX_LABEL_LENGTH).replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
