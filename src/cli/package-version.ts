import { readFileSync } from 'node:fs';

/** The version in package.json, which lies two folders above this file, here and in the build. */
export function packageVersion(): string {
  try {
    const found = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      name: string;
      version: string;
    };
    if (found.name === 'oakum') return found.version;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return 'of an unknown version';
}
