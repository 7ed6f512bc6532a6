/** A reader's answer to input that is not its kind, so that the next reader gets its turn. */
import type { Draft } from './draft.ts';

export interface Unrecognized {
  readonly kind: 'unrecognized';
  /** The line that no longer fitted; the reader that came furthest probably knows best. */
  readonly line: number;
}

export function unrecognized(line: number): Unrecognized {
  return { kind: 'unrecognized', line };
}

export function isUnrecognized(result: Draft | Unrecognized): result is Unrecognized {
  return 'kind' in result;
}
