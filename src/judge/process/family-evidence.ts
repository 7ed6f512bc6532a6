/** Evidence for or against a leak of one family: its growth, its peers, known leaks. */
import { amountIn, formatSeconds } from '../../base/say.ts';
import type { ResourceUnit } from '../../evidence/resource.ts';
import type { GateRecord } from '../../evidence/snapshots/read-context.ts';
import { familyGrowth, type GrowthInput } from '../growth/family-growth.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import type { HeapTableAt } from '../../evidence/snapshots/heap-tables.ts';
import type { ProcessEvidence, TableAt } from '../../evidence/snapshots/process-evidence.ts';
import { valueAt } from '../../evidence/snapshots/process-series.ts';
import { type Growth, againstReference, type ReferenceTable } from '../growth/growth.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Match } from '../../knowledge/known-leak-match.ts';
import type { Evidence, Veto } from '../ledger/ledger.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import type { FamilyTable } from '../../profile/families/family.ts';

/**
 * The pods of a container runtime, which has no metric of them: it copies the log of one shim for each.
 *
 * Normalised names have no `/v2`.
 */
const SHIM_LOG = /^github\.com\/containerd\/containerd\/(?:core\/)?runtime\.(?:\(\*binary\)\.Start|loadShim)$/;

const READ = 'github.com/containerd/fifo.(*fifo).Read';

export interface DiagnoseOptions {
  readonly facts: TargetFacts;
  readonly catalogue: readonly KnownLeak[];
  readonly operations?: number | undefined;
  /** What a gate decided about this process: it knows the level after each of its rounds. */
  readonly gate?: GateRecord | undefined;
  readonly references: readonly ReferenceTable[];
}

/** What operations leave behind, as a gate decided, which says the same then; undefined without a gate. */
export function gateEvidence({ family, perOperation = 0 }: Growth, { gate }: DiagnoseOptions): Evidence[] | undefined {
  if (gate === undefined) return undefined;
  if (!gate.leaks.has(family.id)) return [];
  const sentence = operationSentence(family.kind === 'heap' ? 'bytes' : 'count', perOperation);
  const claims = ['stays', 'unbounded'] as const;
  return [{ kind: 'profile-growth', claims, logOdds: WEIGHTS.perOperation, shows: 'operations', sentence }];
}

/** `objects: each operation leaves 1.03 behind, as the gate decided` */
export function operationSentence(unit: ResourceUnit, perOperation: number, what: string = ''): string {
  const about = what === '' ? '' : `${what}: `;
  return `${about}each operation leaves ${amountIn(unit)(perOperation)} behind, as the gate decided`;
}

/** What a family is compared with. */
export interface Weighable {
  readonly evidence: readonly Evidence[];
  readonly vetoes: readonly Veto[];
}

export function growthById(
  { process, series }: ProcessEvidence,
  tables: readonly (TableAt & Partial<Pick<HeapTableAt, 'collection' | 'liveBytes'>>)[],
  options: DiagnoseOptions,
): ReadonlyMap<string, Growth> {
  if (tables.length < 2) return new Map();
  const pods = series?.get('kubelet_running_pods');
  const inputs = tables.map(({ atSeconds, table, collection, liveBytes }): GrowthInput => ({
    processKey: process.key,
    atSeconds,
    isTimeExact: collection?.isExact,
    liveBytes,
    table,
    pods: valueAt(pods, atSeconds) ?? podsIn(table),
  }));
  return new Map(familyGrowth(inputs, { operations: options.operations }).map(growth => [growth.family.id, growth]));
}

/** What growth weighs, by how long it was seen: what a load that has just begun does looks the same for a while. */
export function growthEvidence(growth: Growth, logOdds: number): Evidence {
  const seconds = spanSeconds(growth) ?? Infinity;
  const doubts: string[] = [];
  if (seconds < MIN_SECONDS)
    doubts.push(`within ${formatSeconds(seconds.toFixed(0))}: too close to tell growth from load`);
  else if (growth.family.kind === 'goroutine' && growth.delta < MIN_GOROUTINES)
    doubts.push('too few to tell from what comes and goes');
  return {
    kind: 'profile-growth',
    claims: ['stays'],
    logOdds: doubts.length === 0 ? logOdds : Math.min(logOdds, WEIGHTS.growthHinted),
    shows: 'growth between profiles',
    sentence: [growth.why, ...doubts].join(', '),
  };
}

const MANY_TIMES = 3;
const MIN_LASTING_SECONDS = 600;

/** `isSteady`: it rose in two intervals or more, and never fell. */
export function growthWeight(growth: Growth, isSteady: boolean): number {
  if (!isSteady) return WEIGHTS.growthSeen;
  const { from, to, points } = growth;
  const isLong = points.length > 3 && (spanSeconds(growth) ?? 0) >= MIN_LASTING_SECONDS;
  return isLong && to >= MANY_TIMES * from ? WEIGHTS.growthLasting : WEIGHTS.growthSteady;
}

/** Closer snapshots show what the load of a moment does. */
const MIN_SECONDS = 10;
/** A handful more goroutines is what any program has at times. */
const MIN_GOROUTINES = 8;

/** Undefined without times. */
function spanSeconds({ points }: Growth): number | undefined {
  const [first, last] = [points[0]?.atSeconds, points.at(-1)?.atSeconds];
  return first === undefined || last === undefined ? undefined : last - first;
}

/** Empty if no match applies to this version. */
export function knownLeakEvidence(matches: readonly Match[]): Evidence[] {
  const known = matches.find(({ affected }) => affected === 'affected');
  if (known === undefined) return [];
  const about = { kind: 'known-leak', shows: 'known leak' } as const;
  const sentence = `this version has ${known.ref}, and this is its stack`;
  const unwanted: Evidence = { ...about, claims: ['unwanted'], logOdds: WEIGHTS.knownLeak, sentence };
  if (known.grade !== 'confirmed') return [unwanted];
  const kept = `what ${known.ref} leaves behind is never freed`;
  return [unwanted, { ...about, claims: ['stays'], logOdds: WEIGHTS.knownToStay, sentence: kept }];
}

/** Peers that have as much of it are a veto: such processes grow like this. */
export function peerEvidence(growth: Growth, references: readonly ReferenceTable[]): Weighable {
  if (references.length === 0) return { evidence: [], vetoes: [] };
  const { factor, reason } = againstReference(growth, references);
  const usual = factor < 0.5;
  const logOdds = usual ? WEIGHTS.peersHaveIt : 0;
  return {
    evidence: [{ kind: 'peers', claims: ['unbounded'], logOdds, shows: 'peers', sentence: reason }],
    vetoes: usual ? [{ kind: 'peers', sentence: reason }] : [],
  };
}

/** Undefined for any other program. */
function podsIn({ kind, counts }: FamilyTable): number | undefined {
  if (kind !== 'goroutine') return undefined;
  const shims = counts.filter(
    ({ family }) => family.frames.includes(READ) && family.frames.some(name => SHIM_LOG.test(name)),
  );
  return shims.length === 0 ? undefined : shims.reduce((sum, { count }) => sum + count, 0);
}
