/** A disk that is full whenever somebody says so, for whatever writes without waiting in this thread, which is SQLite. */
import fs from 'node:fs';

const { writeSync } = fs;

/** `isRefusing` is asked at each write. Put the real one back with `restoreDisk`. */
export function refuseWritesWhile(isRefusing: () => boolean): void {
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    if (isRefusing()) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return writeSync(...args);
  }) as typeof writeSync;
}

export function restoreDisk(): void {
  fs.writeSync = writeSync;
}
