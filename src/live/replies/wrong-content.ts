/** An answer of 200 that is not what was requested, such as a login page. */
import type { Explanation } from './explanation.ts';

export function wrongContent(path: string, why: string): Explanation {
  return {
    kind: 'other',
    sentence: `${path} was answered, but ${why}`,
    nextStep: 'check that the address is that of a Go process with /debug/pprof',
    passing: false,
  };
}

export const NOT_METRICS = 'it is not metrics text';
