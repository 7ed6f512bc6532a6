/** The pods of a container runtime, which has no metric of them: it copies the log of one shim for each. */
import type { FamilyTable } from '../../profile/families/family.ts';

/** Normalised names have no `/v2`. */
const SHIM_LOG = /^github\.com\/containerd\/containerd\/(?:core\/)?runtime\.(?:\(\*binary\)\.Start|loadShim)$/;

/** Undefined for any other program. */
export function podsIn({ kind, counts }: FamilyTable): number | undefined {
  if (kind !== 'goroutine') return undefined;
  const shims = counts.filter(
    ({ family }) => family.frames.includes(READ) && family.frames.some(name => SHIM_LOG.test(name)),
  );
  return shims.length === 0 ? undefined : shims.reduce((sum, { count }) => sum + count, 0);
}

const READ = 'github.com/containerd/fifo.(*fifo).Read';
