/**
 * Heap that belongs to goroutines: the runtime's descriptor of each, the label sets of pprof.Do, and what each of them
 * allocated in its own stack. It grows because goroutines do, so it is told with their families instead of as a leak of
 * its own.
 */
import { isSharedPackage } from '../../profile/families/shared-packages.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Finding, HeldMemory } from '../analysis.ts';
import type { FamilyCount, LabelledCount } from '../../profile/families/family.ts';
import { mayLeak } from '../verdict.ts';
import { packageOf } from '../../profile/go-name/normalise.ts';

type Kind = Exclude<HeldMemory['what'], 'own objects'>;

const DESCRIPTORS = new Set(['runtime.malg', 'runtime.newproc', 'runtime.newproc1']);
const LABELS = new Set([
  'runtime/pprof.Do',
  'runtime/pprof.Labels',
  'runtime/pprof.WithLabels',
  'runtime/pprof.SetGoroutineLabels',
]);
/** A function that makes label sets may make other things, too. */
const MOST = 0.8;

/** Undefined for memory of any other kind. */
export function goroutineMemoryKind({ family, sites, bytes }: FamilyCount): Kind | undefined {
  if (family.kind !== 'heap') return undefined;
  if (family.frames.every(frame => packageOf(frame) === 'runtime') && family.frames.some(name => DESCRIPTORS.has(name)))
    return 'descriptors';
  const ofLabels =
    sites.length === 0
      ? isOfLabels(family.frames)
      : sites.reduce((sum, site) => sum + (isOfLabels(site.frames) ? site.live.bytes : 0), 0) >= MOST * bytes;
  return ofLabels ? 'label sets' : undefined;
}

/** Nothing but libraries between the allocation and the call that sets labels; what runs under pprof.Do is not. */
function isOfLabels(frames: readonly string[]): boolean {
  const at = frames.findIndex(frame => LABELS.has(frame));
  if (at < 0) return false;
  const isOwnCall = frames[at] !== 'runtime/pprof.Do' || at === 0;
  return isOwnCall && frames.slice(0, at).every(frame => isSharedPackage(packageOf(frame)));
}

/**
 * Moves the memory of goroutines from findings of its own to those of goroutines, each with its part. Descriptors are
 * reused and never freed: without goroutines that grow they show a peak of the past, which is no leak either.
 */
export function foldGoroutineMemory(findings: readonly Finding[], { goroutines, heap }: ProcessEvidence): Finding[] {
  const [now, memory] = [goroutines.at(-1)?.table, heap.at(-1)?.table];
  if (now === undefined || memory === undefined) return [...findings];
  const kinds = new Map<string, Kind>();
  const bytes: Record<Kind, number> = { descriptors: 0, 'label sets': 0 };
  for (const count of memory.counts) {
    const kind = goroutineMemoryKind(count);
    if (kind === undefined) continue;
    kinds.set(count.family.id, kind);
    bytes[kind] += count.bytes;
  }
  const labelled = now.counts.reduce((sum, { labelSets }) => sum + labelledOf(labelSets), 0);
  const countOf = new Map(now.counts.map(count => [count.family.id, count]));
  const others = findings.filter(({ family }) => !kinds.has(family.id));
  const owners = new Map(others.map(finding => [finding, goroutinesOf(finding, others)]));
  return others.flatMap(finding => {
    if (owners.get(finding) !== undefined) return [];
    const count = countOf.get(finding.family.id);
    if (finding.resource !== 'goroutines' || count === undefined) return [finding];
    const own = others.reduce((sum, other) => sum + (owners.get(other) === finding ? (other.bytes ?? 0) : 0), 0);
    const parts: HeldMemory[] = [
      { what: 'descriptors', bytes: (bytes.descriptors * count.count) / Math.max(1, now.total) },
      { what: 'label sets', bytes: (bytes['label sets'] * labelledOf(count.labelSets)) / Math.max(1, labelled) },
      { what: 'own objects', bytes: own },
    ];
    const holds = parts.map(part => ({ ...part, bytes: Math.round(part.bytes) })).filter(part => part.bytes > 0);
    return [{ ...finding, holds }];
  });
}

/** Objects for each goroutine, at most; sampling scatters, and a function may make two. */
const PER_GOROUTINE = 2.5;

/** The goroutines that each hold what the heap finding is about: its owner is in their stack, and there are as many. */
function goroutinesOf({ resource, family, count, matches }: Finding, all: readonly Finding[]): Finding | undefined {
  const owner = family.frames.at(-1);
  if (resource !== 'heap' || owner === undefined || matches.length > 0) return undefined;
  return all.find(
    other =>
      other.resource === 'goroutines' &&
      mayLeak(other.verdict) &&
      other.family.frames.includes(owner) &&
      count <= PER_GOROUTINE * other.count,
  );
}

function labelledOf(labelSets: readonly LabelledCount[]): number {
  return labelSets.reduce((sum, { labels, count }) => sum + (labels.length > 0 ? count : 0), 0);
}
