/** A file system of its own that can be filled to the last byte. Needs root on Linux. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const mountAbsent: string | false =
  process.platform === 'linux' && process.getuid?.() === 0 ? false : 'no right to mount a small file system';

const BLOCK_BYTES = 4096;

export class SmallDisk {
  readonly folder: string;

  constructor(megabytes: number) {
    this.folder = mkdtempSync(join(tmpdir(), 'oakum-disk-'));
    const options = `size=${megabytes}m,mode=755`;
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.folder]);
    if (status !== 0) throw new Error(`cannot mount: ${String(stderr)}`);
    process.once('exit', this.remove);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** At once: whoever waits for this process must not notice. */
  fill(): void {
    const path = join(this.folder, 'ballast');
    spawnSync('fallocate', ['-l', String(this.freeBytes), path]);
    try {
      for (;;) writeFileSync(path, Buffer.alloc(BLOCK_BYTES), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  free(): void {
    rmSync(join(this.folder, 'ballast'), { force: true });
  }

  readonly remove = (): void => {
    process.off('exit', this.remove);
    spawnSync('umount', ['-l', this.folder]);
    rmdirSync(this.folder);
  };
}
