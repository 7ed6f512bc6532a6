/** What a leaking family is, who owns it, what it means and what to do. */
import { ownerOf } from '../knowledge/owner-of.ts';
import type { TargetFacts } from '../knowledge/preconditions.ts';
import { adviceOf, causeOfCount, findingFamily, matchesOf } from '../judge/process/finding.ts';
import type { FamilyCount, LabelledCount } from '../profile/families/family.ts';
import type { GateFamily, GateGrowth } from './gate.ts';
import type { KnownLeak } from '../knowledge/known-leak.ts';

export interface DescribeOptions {
  readonly catalogue: readonly KnownLeak[];
  readonly facts: TargetFacts;
}

const MAX_FRAMES = 64;
const MAX_LABELS = 5;

export function describeFamily(
  count: FamilyCount,
  resource: GateFamily['resource'],
  { catalogue, facts }: DescribeOptions,
): Omit<GateFamily, keyof GateGrowth | 'exception'> {
  const { id, title, frames, at, createdBy, createdAt } = findingFamily(count);
  const owner = ownerOf(count.family, count.labelSets, count.creators);
  const matches = matchesOf(count, true, facts, catalogue);
  const [match] = matches;
  const cause = causeOfCount(count);
  return {
    resource,
    family: id,
    title,
    frames,
    at,
    source: null,
    stack: count.example.slice(0, MAX_FRAMES),
    createdBy,
    createdAt,
    owner: owner.name === 'unknown' ? null : owner.name,
    labels: labelsOf(count.labelSets),
    cause: match?.title ?? cause?.title ?? null,
    meaning: match === undefined ? (cause?.meaning ?? null) : null,
    advice: adviceOf(cause, matches, 'leak'),
    knownLeak: match?.ref ?? null,
    survivors: null,
  };
}

/** A controller with a thousand tenants has a thousand label sets, but one controller label. */
function labelsOf(labelSets: readonly LabelledCount[]): GateFamily['labels'] {
  const counts = new Map<string, number>();
  for (const { labels, count } of labelSets) {
    for (const [key, value] of labels) {
      const label = `${key}=${value}`;
      counts.set(label, (counts.get(label) ?? 0) + count);
    }
  }
  return [...counts]
    .map(([label, count]) => ({ label, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_LABELS);
}
