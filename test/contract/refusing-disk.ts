/** A disk that is full on demand, for synchronous writes in this thread, which means SQLite. */
import fs from 'node:fs';

const { writeSync } = fs;

/** Calls `isRefusing` at each write. `restoreDisk` removes it. */
export function refuseWritesWhile(isRefusing: () => boolean): void {
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    if (isRefusing()) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return writeSync(...args);
  }) as typeof writeSync;
}

export function restoreDisk(): void {
  fs.writeSync = writeSync;
}
