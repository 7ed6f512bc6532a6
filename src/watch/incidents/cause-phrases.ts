/** Why a target grows, in a few words: the known leak, the code, or what explains it. */
import { formatCount, formatRate } from '../../base/say.ts';
import { fixedInText, type Match } from '../../knowledge/known-leak-match.ts';
import type { Analysis, Finding } from '../../judge/analysis.ts';
import type { Explanation, ResourceVerdict } from '../../judge/detect/detection.ts';
import { factsOf, verbOf } from '../../evidence/resource.ts';
import type { TargetCause } from '../watch-model.ts';
import { mayLeak } from '../../judge/verdict.ts';
import type { Following } from '../state/target-samples.ts';
import type { WatchedTarget } from '../state/watched-target.ts';

/** The known leak that captures show, else the family that grows; null if they show neither. */
export function causeIn(analysis: Analysis | undefined): TargetCause | null {
  const findings = (analysis?.findings ?? []).filter(({ verdict }) => mayLeak(verdict));
  const known = findings
    .flatMap(({ matches }) => matches)
    .find(({ affected, grade }) => affected !== 'fixed' && grade !== 'possible');
  if (known !== undefined) return ofKnownLeak(known);
  const [first] = findings;
  return first === undefined ? null : ofFamily(first);
}

function ofKnownLeak(match: Match): TargetCause {
  const { ref, grade, title, fixedIn } = match;
  return {
    kind: 'known leak',
    text: `${ref}, ${fixedInText(match)}`,
    ref,
    isConfirmed: grade === 'confirmed',
    title,
    fixedIn,
  };
}

function ofFamily({ family, cause }: Finding): TargetCause {
  return {
    kind: 'family',
    text: cause?.title ?? family.title,
    ref: null,
    isConfirmed: false,
    title: family.title,
    fixedIn: [],
  };
}

const EXPLANATIONS: Readonly<Record<Exclude<Explanation, 'unproved'>, string>> = {
  density: 'grows with the number of pods',
  churn: 'grows while pods start more often',
  step: 'one jump, flat since',
  plateau: 'rose and settled',
  'went away': 'rose and fell again',
  workload: 'its pods use more memory, not the process itself',
  'not returned': 'the runtime keeps memory that is free',
  fragmentation: 'the heap is fragmented',
  'profiler buckets': "the runtime's own profiling records grow",
  'hung peer': 'calls to the container runtime fail or hang',
  'restart storm': 'restarted many times',
};

/** `goroutines follow pods: 8 → 82` */
function followingText({ resource, pods }: Following): string {
  const verb = factsOf(resource).isPlural ? 'follow' : 'follows';
  return `${resource} ${verb} pods: ${formatCount(pods[0])} → ${formatCount(pods[1])}`;
}

function explainedText(one: ResourceVerdict, explanation: Explanation): string {
  // What may be a leak is told with its rate.
  if (explanation === 'unproved') return riseOf(one, 'too little to judge yet');
  return `${one.resource}: ${EXPLANATIONS[explanation]}`;
}

/** `live heap rises 5.34 MiB/h, too little to judge yet` */
function riseOf({ resource, unit, slopePerHour }: ResourceVerdict, meaning: string): string {
  return `${resource} ${verbOf(resource, 'rises')} ${formatRate(unit, slopePerHour)}, ${meaning}`;
}

/** Why a target that grows is not called a leak; null if nothing needs an explanation. */
export function explanationOf({ verdict, samples }: WatchedTarget): TargetCause | null {
  const following = samples.podFollowing.followed();
  const explained = verdict?.resources.find(({ explanation }) => explanation !== undefined);
  const text =
    following !== undefined
      ? followingText(following)
      : explained?.explanation !== undefined
        ? explainedText(explained, explained.explanation)
        : undefined;
  return text === undefined ? null : ofExplanation(text);
}

/** Why a healthy target grows: what explains it, or that it grows too little; null if it does not. */
export function healthyCauseOf(target: WatchedTarget): TargetCause | null {
  const rise = smallRiseOf(target);
  return explanationOf(target) ?? (rise === undefined ? null : ofExplanation(smallRiseText(rise)));
}

/** The resource that a row shows beside its cause: the one that the cause is about, else the worst. */
export function shownResourceOf(target: WatchedTarget): ResourceVerdict | undefined {
  const { worst, verdict, samples } = target;
  if (verdict?.verdict === 'unknown') return verdict.resources.find(isTooLittle) ?? worst;
  if (verdict?.verdict !== 'healthy') return worst;
  const followed = samples.podFollowing.followed()?.resource;
  const { resources } = verdict;
  return (
    resources.find(({ resource }) => resource === followed) ??
    resources.find(({ explanation }) => explanation !== undefined) ??
    smallRiseOf(target) ??
    worst
  );
}

/** It rises, and it is too early to say whether that matters. */
export function isTooLittle({ verdict, explanation }: ResourceVerdict): boolean {
  return verdict === 'unknown' && explanation === 'unproved';
}

function ofExplanation(text: string): TargetCause {
  return { kind: 'explained', text, ref: null, isConfirmed: false, title: text, fixedIn: [] };
}

/**
 * The clearest rise of a healthy target that nothing explains: its whole interval is above nothing, but it is too small
 * to be a finding. Undefined if there is none.
 */
export function smallRiseOf({ verdict }: WatchedTarget): ResourceVerdict | undefined {
  const certainty = ({ slopeInterval: [low, high] }: ResourceVerdict): number => low / high;
  const [clearest] = (verdict?.resources ?? []).filter(isSmallRise).sort((a, b) => certainty(b) - certainty(a));
  return clearest;
}

export function isSmallRise({ verdict, explanation, slopeInterval }: ResourceVerdict): boolean {
  return verdict === 'healthy' && explanation === undefined && slopeInterval[0] > 0;
}

export function smallRiseText(one: ResourceVerdict): string {
  return riseOf(one, 'too little to be a finding');
}
