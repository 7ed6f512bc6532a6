/**
 * A cause as data: what to look for in a family, and what it means.
 *
 * Patterns are parts of normalised function names that begin at a path element and end at a name:
 *
 *     pkg/kubelet/prober                     any function of the package
 *     pkg/kubelet/prober.(*worker)           any method of the type
 *     pkg/kubelet/prober.(*worker).run       the function and its closures
 *     pkg/kubelet/volumemanager/             any function of a package below
 *     (*realFsHandler).trackUsage            the method of that type in any package
 *
 * So `manager.(*containerData).housekeeping` is cadvisor's in `cadvisor/manager` and in `cadvisor/lib/manager`.
 */
import type { FamilyKind } from '../../profile/families/family.ts';

/** What is known about a family: a `FamilyCount` with the kind and frames of the family. */
export interface FamilyEvidence {
  readonly kind: FamilyKind;
  /** Normalised function names, leaf first. */
  readonly frames: readonly string[];
  /** Goroutines by wait reason; empty when unknown. */
  readonly states: ReadonlyMap<string, number>;
  /** Goroutines by normalised creator; empty when unknown. */
  readonly creators: ReadonlyMap<string, number>;
  readonly waitMinutes: { readonly median: number; readonly max: number } | undefined;
}

/** Every condition that is given must hold. */
export interface Sign {
  /** Every pattern is in the stack. */
  readonly all?: readonly string[];
  /** At least one is. */
  readonly any?: readonly string[];
  /** None is. */
  readonly none?: readonly string[];
  /** The first frame that is not the runtime, `sync`, `internal/poll` or `syscall` matches one. */
  readonly leaf?: readonly string[];
  /** At least half were started by one of these; does not hold when creators are unknown. */
  readonly creators?: readonly string[];
  /** No creator is known: the first goroutine, or a format without creators. */
  readonly uncreated?: boolean;
  /** At least half wait for one of these reasons. Also holds when states are unknown and another condition tests the stack. */
  readonly states?: readonly string[];
  /** Some have waited at least this long; does not hold when waits are unknown. */
  readonly waitMinutes?: number;
}

export interface CauseRecord extends Cause {
  readonly kind: FamilyKind;
  /** One of them is enough. */
  readonly signs: readonly Sign[];
  /** Every pod has some, for as long as it lives: their number says how many pods there are, not that anything leaks. */
  readonly isTiedToPods?: true;
}

/** A stack prepared for many tests: every pattern that it matches. */
export interface StackNames {
  readonly evidence: FamilyEvidence;
  readonly stack: ReadonlySet<string>;
  readonly leaf: ReadonlySet<string>;
  readonly creators: readonly { readonly names: ReadonlySet<string>; readonly count: number }[];
}

const PLUMBING = /^(runtime\.|sync\.|internal\/(poll|sync|runtime|race)[./]|syscall\.|golang\.org\/x\/sys\/)/;

export function stackNames(evidence: FamilyEvidence): StackNames {
  const { frames, creators } = evidence;
  const leaf = frames.find(frame => !PLUMBING.test(frame)) ?? frames[0] ?? '';
  return {
    evidence,
    stack: patternsOf(frames),
    leaf: patternsOf([leaf]),
    creators: Array.from(creators, ([name, count]) => ({ names: patternsOf([name]), count })),
  };
}

export function shows(names: StackNames, sign: Sign): boolean {
  const { evidence, stack, leaf, creators } = names;
  if (sign.all !== undefined && !sign.all.every(pattern => stack.has(pattern))) return false;
  if (sign.any !== undefined && !sign.any.some(pattern => stack.has(pattern))) return false;
  if (sign.leaf !== undefined && !sign.leaf.some(pattern => leaf.has(pattern))) return false;
  if (sign.none?.some(pattern => stack.has(pattern)) === true) return false;
  const stackTested = sign.all !== undefined || sign.any !== undefined || sign.leaf !== undefined;
  if (sign.uncreated === true && creators.length > 0) return false;
  if (sign.creators !== undefined && !mostly(creators, sign.creators)) return false;
  if (sign.states !== undefined) {
    const share = shareOf(evidence.states, sign.states);
    if (share === undefined ? !stackTested : share < 0.5) return false;
  }
  return sign.waitMinutes === undefined || (evidence.waitMinutes?.max ?? -1) >= sign.waitMinutes;
}

/**
 * Testing one name against hundreds of patterns is slower than listing what matches it:
 *
 *     a.b/c/d.(*T).m    starts at a, c, d and (*T); ends after d, T) and m, or with the slash after a.b or c
 */
function patternsOf(names: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const name of names) {
    const starts = [0];
    for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
      for (const start of starts) found.add(name.slice(start, at + 1));
      starts.push(at + 1);
    }
    const type = name.indexOf('.(', starts[starts.length - 1]);
    if (type >= 0) starts.push(type + 1);
    const packageStart = starts[type >= 0 ? starts.length - 2 : starts.length - 1];
    for (let at = name.indexOf('.', packageStart); ; at = name.indexOf('.', at + 1)) {
      const end = at < 0 ? name.length : at;
      for (const start of starts) if (start < end) found.add(name.slice(start, end));
      if (at < 0) break;
    }
  }
  return found;
}

function mostly(creators: StackNames['creators'], patterns: readonly string[]): boolean {
  let [total, hits] = [0, 0];
  for (const { names, count } of creators) {
    total += count;
    if (patterns.some(pattern => names.has(pattern))) hits += count;
  }
  return hits > 0 && hits * 2 >= total;
}

function shareOf(states: ReadonlyMap<string, number>, wanted: readonly string[]): number | undefined {
  let [total, hits] = [0, 0];
  for (const [state, count] of states) {
    total += count;
    if (wanted.includes(state)) hits += count;
  }
  return total === 0 ? undefined : hits / total;
}

/** What a family means and what to do about it. */
export interface Cause {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  /** Commands that can be run as they are; the first one comes first. */
  readonly check: readonly string[];
  readonly act: readonly string[];
  /** What not to do. */
  readonly avoid: readonly string[];
  /** Known, and harmless unless it grows. */
  readonly benign: boolean;
}
