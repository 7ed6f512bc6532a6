import { readFileSync } from 'node:fs';
import { embeddedFiles } from '../../watch/server/embedded-files.ts';

/** Where package.json is: three folders up in the sources, two in the build. */
const PLACES = ['../../package.json', '../../../package.json'];

/** The version in Oakum's package.json. */
export function packageVersion(): string {
  const embedded = embeddedFiles();
  if (embedded !== undefined) return (JSON.parse(embedded.readText('package.json')) as { version: string }).version;
  for (const place of PLACES) {
    const version = versionIn(new URL(place, import.meta.url));
    if (version !== undefined) return version;
  }
  return 'of an unknown version';
}

/** Undefined if there is no package.json, or if it belongs to another package. */
function versionIn(file: URL): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const found: unknown = JSON.parse(text);
  if (typeof found !== 'object' || found === null || !('name' in found) || !('version' in found)) return undefined;
  return found.name === 'oakum' && typeof found.version === 'string' ? found.version : undefined;
}
