/** What the package has beside the program: its version, the UI, the recorded cluster. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { embeddedFiles } from '../watch/server/web-files.ts';

/** In the sources and in the build. */
const PACKAGE = new URL('../../', import.meta.url);

export const WEB_FOLDER: string = fileURLToPath(new URL('dist/web', PACKAGE));
export const DEMO_FOLDER: string = fileURLToPath(new URL('demo', PACKAGE));

/** The version in Oakum's package.json. */
export function packageVersion(): string {
  const embedded = embeddedFiles();
  if (embedded !== undefined) return (JSON.parse(embedded.readText('package.json')) as { version: string }).version;
  return versionIn(new URL('package.json', PACKAGE)) ?? 'of an unknown version';
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

/** Where the test runner, which runs the sources, has built the threads. */
export function threadBuild(): string | undefined {
  return process.env['OAKUM_BUILD_URL'];
}
