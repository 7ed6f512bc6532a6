/** Where things are. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = dirname(dirname(fileURLToPath(import.meta.url)));
export const BENCH: string = join(ROOT, 'bench');
export const CACHE: string = join(ROOT, 'node_modules', '.cache', 'oakum-bench');
/** Captures and third-party profiles outside the repository; may be missing. */
export const SHARED: string = join(ROOT, '..', 'shared');
