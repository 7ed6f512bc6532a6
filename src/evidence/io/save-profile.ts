/** Keeps a profile that came over the network, where pprof keeps it: $PPROF_TMPDIR, $HOME/pprof or the temp folder. */
import { makeFolder } from './make-folder.ts';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function saveFetchedProfile(
  prefix: string,
  bytes: Uint8Array,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly path: string } | { readonly error: string }> {
  const folders = [env['PPROF_TMPDIR'], env['HOME'] === undefined ? undefined : join(env['HOME'], 'pprof'), tmpdir()];
  let reason = 'no folder to write to';
  for (const folder of folders) {
    if (folder === undefined || folder === '') continue;
    try {
      await makeFolder(folder);
      return { path: await writeNumbered(folder, prefix, bytes) };
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  return { error: reason };
}

/** Writes `PREFIXnnn.pb.gz` under the first number that is free. */
async function writeNumbered(folder: string, prefix: string, bytes: Uint8Array): Promise<string> {
  for (let number = 1; ; number++) {
    const path = join(folder, `${prefix.replaceAll('/', '_')}${String(number).padStart(3, '0')}.pb.gz`);
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
      } finally {
        await file.close();
      }
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= 10_000) throw error;
    }
  }
}
