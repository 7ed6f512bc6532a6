/** Paths for tests: the project itself, and data that may be beside it. */
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../', import.meta.url));
/** Recordings and third-party data beside the project; tests that need them are skipped if they are missing. */
export const SHARED: string = fileURLToPath(new URL('../../shared/', import.meta.url));
