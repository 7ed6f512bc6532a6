/**
 * What is known about targets and cohorts, in OpenMetrics, so that people can alert in their own way. Only what is
 * suspected or proved, and not more than a bound: a fleet of 20,000 nodes must not become 100,000 series.
 */
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { ResourceVerdict, TargetVerdict } from '../../judge/detect/detection.ts';
import { compareVerdicts, mayLeak } from '../../judge/verdict.ts';
import type { WatchState } from '../state/watch-state.ts';

const MAX_TARGETS = 500;
const MAX_COHORTS = 100;
const MAX_LABEL_LENGTH = 200;

type Labels = readonly (readonly [name: string, value: string])[];
type Sample = readonly [labels: Labels, value: number];

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
