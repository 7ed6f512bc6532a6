import type { CaptureKind } from '../../src/evidence/capture.ts';

/** True for files that the profile page can open. Metrics and configuration have no stacks. */
export function isProfile(kind: CaptureKind): boolean {
  return !/^(?:metrics|stats-summary|configz)/.test(kind);
}
