/** From cohorts and changes to an answer: which attribute value separates what grows, how sure, what to try next. */
import { formatCount, timeText } from '../../base/say.ts';
import type { Bisection, ChangeSummary, ConfirmedCause, Culprit } from './bisection.ts';
import { type AttributeChange, changeableAliases } from '../cohorts/cohort-model.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import { type RecordedCohort, recordedCohort } from '../detect/recorded-detection.ts';
import { compareVerdicts, mayLeak, worst } from '../verdict.ts';
import { confirmedCauses, knownInVersion } from './known-in-version.ts';
import { type OwnProof, isProvedBy } from './own-proofs.ts';
import { nextSteps } from './next-steps.ts';
import type { FleetDetector } from '../detect/detection.ts';
import type { ReplayedFleet } from '../detect/fleet-replay.ts';

export interface BisectInput {
  readonly atSeconds: number;
  readonly targetCount: number;
  /** All that were compared, worst first. */
  readonly cohorts: readonly RecordedCohort[];
  readonly changes: readonly AttributeChange[];
  readonly catalogue: readonly KnownLeak[];
  /** The program that the targets run, as the catalogue names it; '' if unknown. */
  readonly component: string;
  readonly notes: readonly string[];
  /** What captures of the targets prove. */
  readonly proofs?: readonly OwnProof[];
  readonly versionOf?: (target: string) => string | undefined;
  /** All targets, for those that have a version and do not show its cause. */
  readonly targetNames?: readonly string[];
}

const MAX_CHANGES = 30;
const MAX_UNPROVED = 3;

export function bisectCohorts(input: BisectInput): Bisection {
  const { cohorts, targetCount } = input;
  const explained = (cohort: RecordedCohort): Culprit => {
    const known = knownInVersion(cohort, input.catalogue, input.component);
    const confirmed = confirmedCauses(
      cohort,
      known,
      input.proofs ?? [],
      input.versionOf ?? (() => undefined),
      input.targetNames ?? [],
    );
    const [cause] = confirmed;
    const proved =
      cause === undefined || cohort.verdict === 'leak'
        ? cohort
        : { ...cohort, verdict: 'leak' as const, sentence: causeSentence(cohort, cause) };
    return {
      ...proved,
      known,
      confirmed,
      next: nextSteps(proved, confirmed.length > 0 ? confirmed : known, targetCount),
    };
  };
  const compared = (input.proofs ?? []).length === 0 ? [] : bestCompared(cohorts);
  const culprits = cohorts
    .filter(one => mayLeak(one.verdict) || compared.includes(one))
    .map(explained)
    .filter(({ verdict }) => mayLeak(verdict))
    .sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  const unproved = culprits.length > 0 ? [] : unprovedOf(cohorts).map(explained);
  const values = new Map<string, Set<string>>();
  for (const { attribute, value } of cohorts) {
    const known = values.get(attribute) ?? new Set<string>();
    values.set(attribute, known.add(value));
  }
  const names = [...values].map(([attribute, of]) => ({ attribute, valueCount: of.size }));
  return {
    schema: 'oakum.bisection/v1',
    at: timeText(input.atSeconds),
    verdict: worst(
      culprits.length > 0 ? culprits.map(({ verdict }) => verdict) : cohorts.map(({ verdict }) => verdict),
    ),
    sentence: sentenceOf(culprits, unproved, names, targetCount),
    targetCount,
    culprits,
    unproved,
    compared: names.sort((a, b) => (a.attribute < b.attribute ? -1 : 1)),
    changes: summaries(input.changes),
    notes: input.notes,
  };
}

/** For each version and resource, the comparison with the most targets: programs of several kinds may have one version. */
function bestCompared(cohorts: readonly RecordedCohort[]): RecordedCohort[] {
  const best = new Map<string, RecordedCohort>();
  for (const cohort of cohorts) {
    if (cohort.attribute !== 'version') continue;
    const key = JSON.stringify([cohort.value, cohort.resource]);
    const known = best.get(key);
    if (known === undefined || cohort.observed > known.observed) best.set(key, cohort);
  }
  return [...best.values()];
}

/** Its interval excludes zero, and nothing else explains it. */
function unprovedOf(cohorts: readonly RecordedCohort[]): RecordedCohort[] {
  return cohorts
    .filter(({ verdict, ratePerHour, alternatives }) => {
      const isExplained = alternatives.some(({ relation }) => relation === 'explained' || relation === 'alias');
      return verdict === 'unknown' && ratePerHour !== null && ratePerHour[0] > 0 && !isExplained;
    })
    .sort((a, b) => a.leastChance - b.leastChance || a.chance - b.chance)
    .slice(0, MAX_UNPROVED);
}

function causeSentence({ attribute, value, resource, sentence }: RecordedCohort, cause: ConfirmedCause): string {
  const leak = resource === 'live heap' ? 'leaks' : 'leak';
  const where = `the captures of ${formatCount(cause.targets.length)} of its targets`;
  return `${attribute} ${value}: ${resource} ${leak} by a known cause, ${cause.ref}, which ${where} show; by comparison alone: ${sentence}`;
}

function sentenceOf(
  culprits: readonly Culprit[],
  unproved: readonly RecordedCohort[],
  compared: Bisection['compared'],
  targetCount: number,
): string {
  const [first] = culprits;
  if (first !== undefined) {
    const sure = first.verdict === 'leak' ? 'comes with a leak' : 'may come with a leak';
    const alias = changeableAliases(first);
    const also =
      alias.length === 0 ? '' : `, or ${alias.map(({ attribute, value }) => `${attribute} ${value}`).join(' or ')},`;
    const [cause] = first.confirmed;
    const why = cause === undefined ? '' : `: ${cause.ref}, found on ${cause.targets.join(', ')}`;
    return `${first.attribute} ${first.value}${also} ${sure}${why}`;
  }
  if (compared.length === 0) {
    return `Nothing is known that tells the ${formatCount(targetCount)} targets apart; say what they are with --attributes`;
  }
  const [likely] = unproved;
  if (likely !== undefined) {
    return `${likely.attribute} ${likely.value} seems to come with a leak, which too few targets or hours show`;
  }
  const count = compared.reduce((sum, { valueCount }) => sum + valueCount, 0);
  return `No attribute separates targets that grow from others: ${formatCount(count)} values of ${formatCount(compared.length)} attributes were compared`;
}

function summaries(changes: readonly AttributeChange[]): ChangeSummary[] {
  const found = new Map<string, { change: AttributeChange; targets: Set<string>; first: number; last: number }>();
  for (const change of changes) {
    const { attribute, from, to, target, atSeconds } = change;
    if (!Number.isFinite(atSeconds)) continue;
    const key = JSON.stringify([attribute, from, to]);
    const known = found.get(key) ?? { change, targets: new Set<string>(), first: atSeconds, last: atSeconds };
    known.targets.add(target);
    known.first = Math.min(known.first, atSeconds);
    known.last = Math.max(known.last, atSeconds);
    found.set(key, known);
  }
  return [...found.values()]
    .sort((a, b) => b.targets.size - a.targets.size || a.first - b.first)
    .slice(0, MAX_CHANGES)
    .map(({ change, targets, first, last }) => ({
      attribute: change.attribute,
      from: change.from ?? null,
      to: change.to ?? null,
      targets: targets.size,
      first: timeText(first),
      last: timeText(last),
    }));
}

/** Asks which attribute value separates what grows, once a fleet was replayed. */

export interface BisectOptions {
  /** The one that the fleet was replayed with. */
  readonly detector: FleetDetector;
  readonly endSeconds: number;
  readonly catalogue: readonly KnownLeak[];
  /** What captures of the targets prove. */
  readonly proofs?: readonly OwnProof[];
}

/** What of a replayed fleet is asked for: a store of a watch has no more. */
export interface ComparedFleet extends Pick<ReplayedFleet, 'attributeChanges' | 'hasKubelets'> {
  readonly targets: readonly Pick<ReplayedFleet['targets'][number], 'name' | 'attributes'>[];
  readonly inputs: Pick<ReplayedFleet['inputs'], 'notes'>;
}

export function bisectFleet(fleet: ComparedFleet, options: BisectOptions): Bisection {
  const { detector, endSeconds, catalogue, proofs = [] } = options;
  const attributesOf = new Map(fleet.targets.map(({ name, attributes }) => [name, attributes]));
  return bisectCohorts({
    atSeconds: endSeconds,
    targetCount: fleet.targets.length,
    cohorts: detector.evaluateCohorts(endSeconds, isProvedBy(proofs)).map(recordedCohort),
    changes: fleet.attributeChanges,
    catalogue,
    component: fleet.hasKubelets ? 'kubelet' : '',
    notes: fleet.inputs.notes,
    proofs,
    versionOf: target => attributesOf.get(target)?.['version'],
    targetNames: [...attributesOf.keys()],
  });
}
