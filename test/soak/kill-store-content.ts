/** What the writer writes, so that the check after a kill knows what must be there. */
import type { StoreLimits } from '../../src/store/codec/store-limits.ts';
import type { NewCapture } from '../../src/store/records.ts';

export const TARGETS: readonly string[] = Array.from({ length: 40 }, (_, i) => `node/worker-${i}`);

export type StoreName = 'roomy' | 'tight';

/** The roomy one forgets nothing; the tight one keeps pruning, so that kills hit it while it does. */
export const LIMITS: Readonly<Record<StoreName, Partial<StoreLimits>>> = {
  roomy: { rawDays: 10_000, maxBytes: Infinity, maxBytesPerTarget: Infinity },
  tight: { rawDays: 0.01, fiveMinuteDays: 0.02, maxBytes: 400_000, maxBytesPerTarget: 200_000 },
};

const BEGIN_SECONDS = 1_794_700_800;

export function timeOf(batch: number): number {
  return BEGIN_SECONDS + 60 * batch;
}

export function contentOf(batch: number): Uint8Array {
  return Buffer.alloc(1_000 + ((batch * 7919) % 90_000), `profile ${batch} `);
}

export function captureOf(batch: number): NewCapture {
  const at = timeOf(batch);
  return {
    id: String(batch),
    target: TARGETS[batch % 5],
    at,
    trigger: 'doubling',
    reason: `of batch ${batch}`,
    processStartSeconds: BEGIN_SECONDS + 10_000 * Math.floor(batch / 50),
    files: [
      { kind: 'heap', at, truncated: null, bytes: contentOf(batch) },
      // The same bytes repeatedly: a file shared by several captures.
      { kind: 'goroutine', at, truncated: null, bytes: Buffer.from(`shared by many ${batch % 2}`) },
    ],
  };
}
