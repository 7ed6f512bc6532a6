/** Where the third-party profiles and our captures are: beside the repository, read in place. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const SHARED = join(ROOT, '..', 'shared');
export const CONFORMANCE: string = join(SHARED, 'conformance');
export const CAPTURES: string = join(SHARED, 'captures');

/** Why the tests cannot run here, or undefined if they can. */
export function missingData(): string | undefined {
  return existsSync(join(CONFORMANCE, 'CASES.tsv')) ? undefined : '../shared/conformance is missing';
}
