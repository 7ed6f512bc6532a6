/** The files of a capture in words. */
import type { CaptureKind } from '../../src/evidence/capture.ts';

const NAMES: Partial<Record<CaptureKind, string>> = {
  goroutine: 'goroutine profile',
  'goroutine-d1': 'goroutine text profile',
  'goroutine-d2': 'goroutine dump',
  goroutineleak: 'goroutine leak profile',
  heap: 'heap profile',
  'heap-d1': 'heap text profile',
  allocs: 'allocation profile',
  cpu: 'CPU profile',
  block: 'block profile',
  mutex: 'mutex profile',
  threadcreate: 'thread profile',
  configz: 'configuration',
  'stats-summary': 'stats summary',
};

export function captureName(kind: CaptureKind): string {
  return NAMES[kind] ?? kind;
}
