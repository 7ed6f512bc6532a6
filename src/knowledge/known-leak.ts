/** A catalogue entry: a leak that is known upstream, and how to recognise it. */
import type { ResourceSlug } from '../evidence/resource.ts';

export type EvidenceGrade =
  /** The frames were seen in a dump or profile of the leak. */
  | 'seen'
  /** The frames were inferred from the fixing change. */
  | 'from-fix';

export type LeakStatus = 'confirmed' | 'unconfirmed';
/** What a known leak leaks. Some leave processes behind, although that is not a resource of the target. */
export type LeakResource = ResourceSlug | 'processes';

export interface Signature {
  readonly resource: LeakResource;
  /** All of these must be in the stack, in this order from leaf to root, not necessarily adjacent. Normalised names. */
  readonly frames: readonly string[];
  /** Only the Go runtime is called by the first frame: it waits or allocates itself, which a healthy stack does not. */
  readonly atLeaf: boolean;
  /** Any of these creators, if the format shows creators. */
  readonly createdBy: readonly string[];
  /** Unified wait reasons in which it occurs; empty for any. */
  readonly states: readonly string[];
  readonly evidence: EvidenceGrade;
  /**
   * If a healthy process has one such stack per object, that object, such as `tracked cgroup`; growth alone then does
   * not confirm the leak. '' if any growth of the stack is the leak.
   */
  readonly normalPer: string;
  /**
   * Heap only: what a fixed version keeps of everything it allocates at this stack. `none` if it frees everything that
   * is not in use right now, so that keeping it is the leak. '' if unknown.
   */
  readonly fixedKeeps: string;
}

/** Versions of one component: half-open ranges per minor line. */
export interface AffectedRange {
  /** First affected version, inclusive; '' for all before `fixed`. */
  readonly from: string;
  /** First version with the fix, exclusive; '' while there is none. */
  readonly fixed: string;
}

export interface Precondition {
  readonly kind: 'feature-gate' | 'kernel' | 'cgroup' | 'runtime' | 'flag' | 'workload' | 'os';
  /** `EventedPLEG`, `>=5.15`, `v1`, `runc >=1.1.6` ... */
  readonly value: string;
  readonly note: string;
}

export interface KnownLeak {
  readonly id: string;
  readonly title: string;
  readonly status: LeakStatus;
  readonly component: string;
  /** `kubernetes#139823`, `kcp#3350`; the first is shown. */
  readonly refs: readonly string[];
  readonly resources: readonly LeakResource[];
  readonly signatures: readonly Signature[];
  /** The function that makes what leaks, if some signatures show only what holds it; '' if they are all alike. */
  readonly culprit: string;
  readonly logLines: readonly string[];
  readonly trigger: string;
  readonly affected: readonly AffectedRange[];
  readonly fixedIn: readonly string[];
  readonly sideEffects: readonly string[];
  readonly preconditions: readonly Precondition[];
  readonly workaround: string;
  readonly hazards: readonly string[];
  readonly notes: string;
}
