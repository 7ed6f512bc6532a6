/** Regular expressions as reports see them; `go-regexp.ts` has Go's, which only those who need them load. */
export interface GoRegexp {
  readonly source: string;
  /** Whether the expression matches anywhere in `text`. */
  matches(text: string): boolean;
}

/** Throws an Error with Go's wording when the expression cannot be compiled. */
export type CompileRegexp = (source: string) => GoRegexp;
