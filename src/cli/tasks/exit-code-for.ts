import { isAtLeast, type Verdict } from '../../judge/verdict.ts';
import type { Threshold } from '../options/shared.ts';
import { EXIT } from '../../base/errors.ts';

/** `--fail-on`: 1 if the verdict is as bad as the threshold or worse. */
export function exitCodeFor(verdict: Verdict, failOn: Threshold | undefined): number {
  return failOn !== undefined && isAtLeast(verdict, failOn) ? EXIT.leakFound : EXIT.done;
}
