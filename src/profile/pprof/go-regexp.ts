/** Go's regexp semantics (RE2: linear time, no lookaround, leftmost-first), through re2js. */
import { RE2JS } from 're2js';
import { Failure } from '../../base/errors.ts';

/** Compiles an expression; throws an Error with Go's wording if it cannot. */
export function compileGoRegexp(source: string): GoRegexp {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (error) {
    throw new Failure('usage', goMessage(error));
  }
  // The same names recur, since functions repeat across locations.
  const known = new Map<string, boolean>();
  return {
    source,
    matches(text) {
      let result = known.get(text);
      if (result === undefined) {
        result = compiled.matcher(text).find();
        if (known.size < 1_000_000) known.set(text, result);
      }
      return result;
    },
  };
}

function goMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.startsWith('error parsing regexp') ? text : `error parsing regexp: ${text}`;
}

/** Regular expressions as reports use them. `go-regexp.ts` implements Go's, and is loaded only when one is used. */
export interface GoRegexp {
  readonly source: string;
  /** Whether the expression matches anywhere in `text`. */
  matches(text: string): boolean;
}

/** Throws an Error with Go's wording if the expression does not compile. */
export type CompileRegexp = (source: string) => GoRegexp;
