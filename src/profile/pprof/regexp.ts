/** Regular expressions as reports use them. `go-regexp.ts` implements Go's, and is loaded only when one is used. */
export interface GoRegexp {
  readonly source: string;
  /** Whether the expression matches anywhere in `text`. */
  matches(text: string): boolean;
}

/** Throws an Error with Go's wording if the expression does not compile. */
export type CompileRegexp = (source: string) => GoRegexp;
