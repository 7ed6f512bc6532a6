/** The order of findings: what to look at first. */
import { groupBy } from '../../base/group-by.ts';
import { isToBlame } from '../../knowledge/signature.ts';
import type { Finding } from '../analysis.ts';
import { compareVerdicts } from '../verdict.ts';

/**
 * Leaks before suspicions, known before unknown, what nothing can wake before what is only large. Findings that are
 * alike so far take turns by resource, so that the first two name both resources if both leak:
 *
 *     goroutines   main.forward      1        what explodes comes first, else what has the larger share
 *     live heap    main.openSession  2
 *     goroutines   main.serve        3
 *
 * `exploding` has the targets whose goroutines multiplied: their memory is a consequence.
 */
export function rankFindings(findings: readonly Finding[], exploding: ReadonlySet<string>): Finding[] {
  const tiers = groupBy(findings, finding => [finding.verdict, gradeOf(finding), stuckRank(finding)].join(' '));
  return [...tiers.values()]
    .sort(([a], [b]) => (a === undefined || b === undefined ? 0 : byCertainty(a, b)))
    .flatMap(tier => inTurns(tier, exploding));
}

function byCertainty(a: Finding, b: Finding): number {
  return compareVerdicts(a.verdict, b.verdict) || gradeOf(b) - gradeOf(a) || stuckRank(b) - stuckRank(a);
}

function gradeOf({ matches: [match] }: Finding): number {
  return ['possible', 'probable', 'confirmed'].indexOf(match?.grade ?? '');
}

/** Few, but nothing can ever wake them: before what is only large. */
export function isStuck({ cause, verdict }: Finding): boolean {
  return verdict === 'unknown' && (cause?.id === 'nil-channel' || cause?.id === 'empty-select');
}

/** What deadlocks comes before those that wait for it. */
function stuckRank(finding: Finding): number {
  const { lock, verdict, family } = finding;
  if (isStuck(finding)) return 2;
  const isDeadlock = lock?.kind === 'ring' || (lock?.kind === 'self' && lock.links.at(-1)?.family === family.id);
  return Number(verdict === 'unknown' && isDeadlock);
}

function inTurns(findings: readonly Finding[], exploding: ReadonlySet<string>): Finding[] {
  const lists = [...groupBy(findings, ({ resource }) => resource).values()]
    .map(list => list.toSorted(bySize))
    .sort(([a], [b]) =>
      a === undefined || b === undefined ? 0 : leads(b, exploding) - leads(a, exploding) || b.share - a.share,
    );
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap(list => list.slice(turn, turn + 1))).flat();
}

function leads({ resource, target }: Finding, exploding: ReadonlySet<string>): number {
  return Number(resource === 'goroutines' && exploding.has(target));
}

/** Within one resource: what makes it before what holds it, then by growth, then by size. */
function bySize(a: Finding, b: Finding): number {
  return (
    Number(isCulprit(b)) - Number(isCulprit(a)) || (b.growth?.delta ?? 0) - (a.growth?.delta ?? 0) || b.share - a.share
  );
}

function isCulprit({ matches: [match], family }: Finding): boolean {
  return match === undefined || isToBlame(match, family.frames);
}
