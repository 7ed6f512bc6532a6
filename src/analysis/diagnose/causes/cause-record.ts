/**
 * A cause as data: what to look for in a family, and what it then means.
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
import type { Cause } from '../../../model/analysis.ts';
import type { FamilyKind } from '../../../model/family.ts';

/** What is known of a family; a `FamilyCount` with the kind and frames of its family. */
export interface FamilyEvidence {
  readonly kind: FamilyKind;
  /** Normalised function names, leaf first. */
  readonly frames: readonly string[];
  /** Goroutines by wait reason; empty when not shown. */
  readonly states: ReadonlyMap<string, number>;
  /** Goroutines by normalised creator; empty when not shown. */
  readonly creators: ReadonlyMap<string, number>;
  readonly waitMinutes: { readonly median: number; readonly max: number } | undefined;
}

/** All that is given must hold. */
export interface Sign {
  /** Every pattern is in the stack. */
  readonly all?: readonly string[];
  /** At least one is. */
  readonly any?: readonly string[];
  /** None is. */
  readonly none?: readonly string[];
  /** The first frame that is not the runtime, `sync`, `internal/poll` or `syscall` matches one. */
  readonly leaf?: readonly string[];
  /** One creator matches. Holds when creators are not shown and the stack was tested. */
  readonly creators?: readonly string[];
  /** No creator is shown: the first goroutine, or a format without creators. */
  readonly uncreated?: boolean;
  /** At least half wait for one of these reasons. Holds when states are not shown and the stack was tested. */
  readonly states?: readonly string[];
  /** Some have waited at least so long; does not hold when waits are not shown. */
  readonly waitMinutes?: number;
}

export interface CauseRecord extends Cause {
  readonly kind: FamilyKind;
  /** One of them is enough. */
  readonly signs: readonly Sign[];
}

/** A stack prepared for many questions. */
export interface StackText {
  readonly evidence: FamilyEvidence;
  readonly text: string;
  readonly leaf: string;
  readonly creators: string;
}

const PLUMBING = /^(runtime\.|sync\.|internal\/(poll|sync|runtime|race)[./]|syscall\.|golang\.org\/x\/sys\/)/;

export function stackText(evidence: FamilyEvidence): StackText {
  const { frames, creators } = evidence;
  const leaf = frames.find(frame => !PLUMBING.test(frame)) ?? frames[0] ?? '';
  return { evidence, text: lines(frames), leaf: lines([leaf]), creators: lines([...creators.keys()]) };
}

export function shows(stack: StackText, sign: Sign): boolean {
  const { evidence, text } = stack;
  if (sign.all !== undefined && !sign.all.every(pattern => contains(text, pattern))) return false;
  if (sign.any !== undefined && !sign.any.some(pattern => contains(text, pattern))) return false;
  if (sign.leaf !== undefined && !sign.leaf.some(pattern => contains(stack.leaf, pattern))) return false;
  if (sign.none?.some(pattern => contains(text, pattern)) === true) return false;
  const stackTested = sign.all !== undefined || sign.any !== undefined || sign.leaf !== undefined;
  if (sign.uncreated === true && evidence.creators.size > 0) return false;
  if (sign.creators !== undefined) {
    if (evidence.creators.size === 0 ? !stackTested : !sign.creators.some(name => contains(stack.creators, name))) {
      return false;
    }
  }
  if (sign.states !== undefined) {
    const share = shareOf(evidence.states, sign.states);
    if (share === undefined ? !stackTested : share < 0.5) return false;
  }
  return sign.waitMinutes === undefined || (evidence.waitMinutes?.max ?? -1) >= sign.waitMinutes;
}

/** Every name after a `/` and before a newline, so that one search tests a whole stack. */
function lines(names: readonly string[]): string {
  return names.length === 0 ? '' : `/${names.join('\n/')}\n`;
}

function contains(text: string, pattern: string): boolean {
  const needle = needleOf(pattern);
  const opens = pattern.endsWith('/');
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const next = text.charCodeAt(at + needle.length);
    // newline, '.', '[' of type arguments, '-' of -fm and -range1
    if (opens || next === 10 || next === 46 || next === 91 || next === 45) return true;
  }
  return false;
}

/** What to search for, by pattern: joined once, since a joined string is slow to search with. */
const needles = new Map<string, string>();

function needleOf(pattern: string): string {
  let needle = needles.get(pattern);
  if (needle === undefined) {
    // Through JSON, because it yields one flat string.
    needle = JSON.parse(JSON.stringify((pattern.startsWith('(') ? '.' : '/') + pattern)) as string;
    needles.set(pattern, needle);
  }
  return needle;
}

function shareOf(states: ReadonlyMap<string, number>, wanted: readonly string[]): number | undefined {
  let [total, hits] = [0, 0];
  for (const [state, count] of states) {
    total += count;
    if (wanted.includes(state)) hits += count;
  }
  return total === 0 ? undefined : hits / total;
}
