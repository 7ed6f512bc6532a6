/**
 * Families: stacks that are equal after normalisation.
 *
 * The id depends only on the code: the same code has the same id from debug=0, debug=1 and debug=2, from Go 1.19 to
 * 1.27, vendored or not. Counts, states and labels belong to one snapshot.
 */

export type FamilyKind = 'goroutine' | 'heap';

export interface Family {
  /** `g-` or `h-` and ten hex digits. */
  readonly id: string;
  readonly kind: FamilyKind;
  /** Normalised function names, leaf first; for heap, from the allocation up to its owner. */
  readonly frames: readonly string[];
  /**
   * Goroutines only, by frame: `func2` if it is another closure than the first of its function, which counts as the
   * function itself, and its package is not shared. Stacks that differ in this are different families.
   */
  readonly closures: readonly string[];
  /** The shortest form that identifies it: `kubelet.(*podWorkers).startPodSync → context.withCancel`. */
  readonly title: string;
  /** The package responsible for it, e.g. `k8s.io/kubernetes/pkg/kubelet`. */
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
  /** How many samples the estimate is based on, and the resulting variance of the bytes. */
  readonly samples: number;
  readonly variance: number;
}

/** Heap only: one path from an allocation to its owner, with everything allocated there since the process started. */
export interface HeapSite {
  /** Normalised function names, from the allocation up to the owner. */
  readonly frames: readonly string[];
  readonly live: HeapAmount;
  readonly allocated: HeapAmount;
  /** Ran during package initialisation, so it runs once. */
  readonly isInit: boolean;
}

/**
 * The goroutines of a family in a debug=2 dump, one entry each:
 *
 *     id        4711  4716  4720 ...
 *     minutes     11     7     0 ...   0 if none are printed
 *     state        3     3     1 ...   -> states, as printed: '', runnable, select, chan send
 */
export interface Waits {
  readonly id: Float64Array;
  readonly minutes: Int32Array;
  readonly state: Uint32Array;
  /** Shared by all families of a dump. */
  readonly states: readonly string[];
  /** The dump ends early, so goroutines are missing. */
  readonly isCut: boolean;
}

/** A family in one snapshot. */
export interface FamilyCount {
  readonly family: Family;
  /** Goroutines; for heap, objects in use as the profile scales them. */
  readonly count: number;
  /** Heap only: bytes in use as the profile scales them. */
  readonly bytes: number;
  /** Heap only: how many samples the estimate is based on, and its standard error in bytes. */
  readonly samples: number;
  readonly bytesError: number;
  /** Heap only: where it allocates, freed or not; empty if the profile does not record allocations. */
  readonly sites: readonly HeapSite[];
  /** Goroutines by unified wait reason, as printed or as the stack implies. They may be fewer: debug=1 hides some. */
  readonly states: ReadonlyMap<string, number>;
  /** Goroutines only, if debug=2 printed minutes. */
  readonly waitMinutes: { readonly median: number; readonly max: number } | undefined;
  /** Only from debug=2, which lists every goroutine. */
  readonly waits: Waits | undefined;
  /** Normalised creator functions and how many goroutines each started; empty if the format does not show them. */
  readonly creators: ReadonlyMap<string, number>;
  /** Where most of them were started by each creator, as in `places`. */
  readonly creatorPlaces: ReadonlyMap<string, string>;
  readonly labelSets: readonly LabelledCount[];
  /** The labels are those of an earlier snapshot, because this one cannot show any; their counts are, too. */
  readonly labelsAreOlder?: true;
  /** Found unreachable by the runtime's leak detector. */
  readonly leaked: number;
  /**
   * Where each of the family's frames stands in its most frequent stack: `k8s.io/kubernetes/pkg/kubelet/kubelet.go:88`.
   * '' if unknown.
   */
  readonly places: readonly string[];
  /** The most frequent full stack as read, leaf first, `function file:line`. */
  readonly example: readonly string[];
}

export interface FamilyTable {
  readonly kind: FamilyKind;
  /** Goroutines, or bytes in use, in all families. */
  readonly total: number;
  /** Largest first. */
  readonly counts: readonly FamilyCount[];
}
