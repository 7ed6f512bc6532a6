/**
 * Garbage collections: a heap profile shows what was live at the end of one, not when it was taken.
 *
 *     collections   ...  N-1 ------------- N ---- profile
 *     heap          shows N-1: the runtime publishes a collection when the next one ends
 *     heap?gc=1     collects first, and shows that one
 */
export interface Collection {
  /** Counted from the start of the process; undefined when nothing tells. */
  readonly number: number | undefined;
  /** When it ended, in unix seconds; undefined when nothing tells. */
  readonly atSeconds: number | undefined;
}

/** The last collection that had ended when a profile was taken. */
export interface LastCollection extends Collection {
  /** Whether the request for the profile forced it. */
  readonly isForced: boolean;
}
