/**
 * Families: stacks that are equal after normalisation.
 *
 * The id depends on code alone: the same code has the same id from debug=0, debug=1 and debug=2, from Go 1.19 to 1.27,
 * vendored or not. Counts, states and labels are what one snapshot shows of a family.
 */

export type FamilyKind = 'goroutine' | 'heap';

export interface Family {
  /** `g-` or `h-` and ten hex digits. */
  readonly id: string;
  readonly kind: FamilyKind;
  /** Normalised function names, leaf first; for heap, from the allocation up to its owner. */
  readonly frames: readonly string[];
  /** The shortest telling form: `kubelet.(*podWorkers).startPodSync → context.withCancel`. */
  readonly title: string;
  /** The package that answers for it, e.g. `k8s.io/kubernetes/pkg/kubelet`. */
  readonly ownerPackage: string;
}

/** Sorted key/value pairs. */
export type LabelSet = readonly (readonly [key: string, value: string])[];

export interface LabelledCount {
  readonly labels: LabelSet;
  readonly count: number;
}

/** Heap only: allocations as the profile scales them. */
export interface HeapAmount {
  readonly objects: number;
  readonly bytes: number;
  /** How many samples the estimate rests on, and the variance of the bytes that follows from it. */
  readonly samples: number;
  readonly variance: number;
}

/** Heap only: one path from an allocation to its owner, with all it allocated since the process began. */
export interface HeapSite {
  /** Normalised function names, from the allocation up to the owner. */
  readonly frames: readonly string[];
  readonly live: HeapAmount;
  readonly allocated: HeapAmount;
  /** Ran while packages were initialised: such code runs once. */
  readonly isInit: boolean;
}

/**
 * The goroutines of a family as a debug=2 dump lists them, one entry each:
 *
 *     id        4711  4716  4720 ...
 *     minutes     11     7     0 ...   0 when none are printed
 *     state        3     3     1 ...   -> states, as printed: '', runnable, select, chan send
 */
export interface Waits {
  readonly id: Float64Array;
  readonly minutes: Int32Array;
  readonly state: Uint32Array;
  /** One list for all families of a dump. */
  readonly states: readonly string[];
  /** The dump ends early, so goroutines are missing. */
  readonly isCut: boolean;
}

/** What one snapshot shows of a family. */
export interface FamilyCount {
  readonly family: Family;
  /** Goroutines; for heap, objects in use as the profile scales them. */
  readonly count: number;
  /** Heap only: bytes in use as the profile scales them. */
  readonly bytes: number;
  /** Heap only: how many samples the estimate rests on, and its standard error in bytes. */
  readonly samples: number;
  readonly bytesError: number;
  /** Heap only: where it allocates, freed or not; empty where the profile does not tell what was allocated. */
  readonly sites: readonly HeapSite[];
  /** Goroutines by unified wait reason, printed or shown by the stack; debug=1 hides some, so they may be fewer. */
  readonly states: ReadonlyMap<string, number>;
  /** Goroutines only, where debug=2 printed minutes. */
  readonly waitMinutes: { readonly median: number; readonly max: number } | undefined;
  /** Only from debug=2, which lists every goroutine. */
  readonly waits: Waits | undefined;
  /** Normalised creator functions and how many goroutines each started; empty when not shown. */
  readonly creators: ReadonlyMap<string, number>;
  readonly labelSets: readonly LabelledCount[];
  /** Found unreachable by the runtime's leak detector. */
  readonly leaked: number;
  /** One full stack as it was read, leaf first, `function file:line`. */
  readonly example: readonly string[];
}

export interface FamilyTable {
  readonly kind: FamilyKind;
  /** Goroutines, or bytes in use, in all families. */
  readonly total: number;
  /** Largest first. */
  readonly counts: readonly FamilyCount[];
}
