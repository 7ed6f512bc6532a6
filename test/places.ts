/** Where tests find things: the project itself, and what may lie beside it. */
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../', import.meta.url));
/** Recordings and third-party data beside the project; tests that need them skip where they are absent. */
export const SHARED: string = fileURLToPath(new URL('../../shared/', import.meta.url));
