/** Regular expressions as reports see them. `go-regexp.ts` implements Go's and is loaded only when one is used. */
export interface GoRegexp {
  readonly source: string;
  /** Whether the expression matches anywhere in `text`. */
  matches(text: string): boolean;
}

/** Throws an Error with Go's wording when the expression cannot be compiled. */
export type CompileRegexp = (source: string) => GoRegexp;
