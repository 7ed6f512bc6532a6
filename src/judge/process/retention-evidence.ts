/**
 * When keeping everything speaks for a leak, and how much.
 *
 *     a known leak's stack, which a fixed version frees, on 10 samples or more     proof, with the version
 *     the same on fewer samples                                                   a hint
 *     an unknown family that is large and keeps all                                worth watching
 *     ... and goes on keeping between two profiles, or explains the metrics        proof together with them
 *     storage, caches, code that runs once                                         nothing: they keep by design
 */
import type { MetricGrowth } from '../growth/metric-growth.ts';
import { isRetained } from '../retention/retention-of.ts';
import type { Evidence } from '../ledger/ledger.ts';
import type { Retention } from '../retention/retention.ts';
import { keptPhrase, keptRatePhrase, keptSincePhrase } from '../retention/retention-phrases.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import { isProminent } from './finding.ts';
import { type FamilyRetention, type KeptLeak, MIN_KEPT_SAMPLES } from './heap-retention.ts';

/** A cache that fills keeps everything, too; most are full by then. */
const WARM_SECONDS = 3600;
/** A family that keeps at less than this part of its own average pace is slowing down. */
const STEADY_SHARE = 0.5;

export interface RetentionCase {
  readonly family: FamilyRetention;
  /** The size of the live heap. */
  readonly totalBytes: number;
  /** Every healthy process has such a family. */
  readonly isBenign: boolean;
  /** The rise of the live heap, if metrics show one that the pods do not explain. */
  readonly rise: MetricGrowth | undefined;
}

/** At most one entry: two of the same profile show the same thing. */
export function retentionEvidence({ family, totalBytes, isBenign, rise }: RetentionCase): Evidence[] {
  const { retention } = family;
  const proved = family.known.find(isProved);
  if (proved !== undefined) return [evidence(WEIGHTS.retainedKnown, retention, knownNote(proved, retention))];
  const [hinted] = family.known;
  if (hinted !== undefined) return [evidence(WEIGHTS.retainedHinted, retention, knownNote(hinted, retention))];
  if (isBenign || !isLargeAndKept(retention, totalBytes) || keepsByDesign(retention)) return [];
  const going = isWarm(retention) && (goesOn(retention) || explains(retention, rise));
  return [evidence(going ? WEIGHTS.retainedOn : WEIGHTS.retained, retention, keptSincePhrase(retention))];
}

export function isProved({ match, samples, retainedShare }: KeptLeak): boolean {
  return match.grade === 'confirmed' && samples >= MIN_KEPT_SAMPLES && isRetained(retainedShare);
}

function evidence(logOdds: number, retention: Retention, note: string): Evidence {
  const sentence = [`keeps ${keptPhrase(retention)}`, keptRatePhrase(retention), note].filter(part => part !== '');
  return { kind: 'retention', logOdds, shows: 'retention', sentence: sentence.join('; ') };
}

function knownNote({ match, samples, liveSamples }: KeptLeak, retention: Retention): string {
  const all = samples > retention.samples ? ` (${liveSamples} of ${samples} samples in all of its stacks)` : '';
  return `a version with the fix for ${match.ref} keeps none of it${all}`;
}

export function isLargeAndKept({ retainedShare, samples, liveBytes }: Retention, totalBytes: number): boolean {
  return samples >= MIN_KEPT_SAMPLES && isRetained(retainedShare) && isProminent(liveBytes, totalBytes);
}

function keepsByDesign({ store, isOneTime }: Retention): boolean {
  return isOneTime || store !== null;
}

function isWarm({ ageSeconds }: Retention): boolean {
  return ageSeconds !== null && ageSeconds >= WARM_SECONDS;
}

/** Kept what it allocated between two profiles, at no less than its usual pace. */
function goesOn({ since, perHour }: Retention): boolean {
  if (since === null || since.seconds === null || since.seconds <= 0 || perHour === null) return false;
  if (since.samples < MIN_KEPT_SAMPLES || !isRetained(since.retainedShare)) return false;
  return (since.retainedBytes / since.seconds) * 3600 >= STEADY_SHARE * perHour[1];
}

/** Its own average over the life of the process is what the live heap gains now. */
function explains({ perHour }: Retention, rise: MetricGrowth | undefined): boolean {
  if (perHour === null || rise === undefined) return false;
  const [low, , high] = perHour;
  return low <= rise.highPerHour && high >= STEADY_SHARE * rise.perHour;
}

/** Why keeping everything does not prove a leak here, and what would decide; null of families that free, or are small. */
export function undecidedOf(retention: Retention, totalBytes: number): string | null {
  if (!isLargeAndKept(retention, totalBytes)) return null;
  if (retention.isOneTime) return 'code that runs once allocated it, when packages were initialised or registered';
  const decides = 'a second profile with new allocations and none freed, or the live heap over hours, would decide';
  if (retention.store !== null) return `it is ${retention.store}, and keeps by design; ${decides}`;
  return `a cache that still fills keeps everything, too; ${decides}`;
}
