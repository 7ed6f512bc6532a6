/** What to try next to be sure which attribute is at fault, and what to do about it. */
import { formatCount, formatHourCount, formatPercent } from '../../base/say.ts';
import type { KnownInVersion } from './bisection.ts';
import { changeableAliases } from '../cohorts/cohort-model.ts';
import type { RecordedCohort } from '../detect/recorded-detection.ts';

const NAMED = 3;

/** `targetCount`: of the whole fleet. */
export function nextSteps(cohort: RecordedCohort, known: readonly KnownInVersion[], targetCount: number): string[] {
  const { attribute, value, verdict, leaking, against, hoursForOne } = cohort;
  const hours = hoursForOne === null ? 'some' : formatCount(Math.ceil(hoursForOne));
  const [example = 'one target'] = leaking;
  const steps: string[] = [];
  for (const alias of changeableAliases(cohort).slice(0, NAMED)) {
    steps.push(
      `to tell ${attribute} ${value} from ${alias.attribute} ${alias.value}: change one of them alone on one target, such as ${example}, and compare it after ${formatHourCount(hours)}`,
    );
  }
  if (against.length > 0) {
    const [one] = against;
    const different = one?.differs[0];
    if (different !== undefined)
      steps.push(`look at ${one?.target ?? ''}, which has it and does not grow: ${different}`);
  }
  if (verdict !== 'leak') steps.push(...whileUnproved(cohort, hours));
  if (verdict === 'unknown') steps.push(...onOneTarget(cohort, known, example, hours));
  steps.push(...cure(cohort, known, targetCount, example, hours));
  return steps;
}

/** What one target shows by itself. */
function onOneTarget(
  { attribute, value }: RecordedCohort,
  known: readonly KnownInVersion[],
  example: string,
  hours: string,
): string[] {
  if (attribute !== 'version') return [];
  const [fixed] = known.flatMap(({ fixedIn }) => fixedIn);
  const to = fixed === undefined ? `away from ${value}` : `to ${fixed}, which has the fix`;
  return [`move ${example} alone ${to}, and look after ${formatHourCount(hours)} whether it still grows`];
}

function whileUnproved(cohort: RecordedCohort, hours: string): string[] {
  const { vetoes, observed, controls } = cohort;
  const [veto] = vetoes;
  if (veto?.kind === 'settles') return [`judge again in ${formatHourCount(hours)}: what settles will be flat by then`];
  if (veto?.kind === 'controls grow') return ['look for what reaches the whole fleet before you blame this value'];
  if (veto !== undefined) return [`compare targets for which this is not so: ${veto.sentence}`];
  if (cohort.targetsMissing !== undefined) {
    const [withIt, without] = cohort.targetsMissing;
    const [group, others] = [observed + withIt, controls + without].map(formatCount);
    const more = [
      ...(withIt === 0 ? [] : [`give it to ${formatCount(withIt)} more`]),
      ...(without === 0 ? [] : [`record ${formatCount(without)} more without it`]),
    ];
    const few = `${group} against ${others} can prove it, ${formatCount(observed)} against ${formatCount(controls)} cannot`;
    return [`${more.join(', and ')}, for ${formatHourCount(hours)}: ${few}`];
  }
  return [`judge again in ${formatHourCount(hours)}, or give it to more targets`];
}

function cure(
  cohort: RecordedCohort,
  known: readonly KnownInVersion[],
  targetCount: number,
  example: string,
  hours: string,
): string[] {
  const { attribute, value, verdict, targets, controls } = cohort;
  if (attribute.startsWith('gate/')) {
    const gate = attribute.slice('gate/'.length);
    const other = value === 'on' ? 'false' : 'true';
    return [
      `set featureGates: {${gate}: ${other}} in the kubelet's configuration of ${example} (or --feature-gates=${gate}=${other}), restart it, and compare after ${formatHourCount(hours)}`,
    ];
  }
  if (attribute !== 'version' || verdict !== 'leak') return [];
  const share = Number(((100 * targets) / targetCount).toPrecision(2));
  const stop = controls === 0 ? [] : [`stop the rollout of ${value}: it is on ${formatPercent(share)} of the targets`];
  const fixes = [...new Set(known.flatMap(({ fixedIn }) => fixedIn))];
  const move =
    fixes.length > 0
      ? [`move to a version that has the fix: ${fixes.join(', ')}`]
      : [`take two heap profiles of ${example} an hour apart (oakum capture, oakum analyze): they name the code`];
  return [...stop, ...move];
}
