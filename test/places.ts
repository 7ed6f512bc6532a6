/** Paths for tests: the project itself, and data that may be beside it. */
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../', import.meta.url));
/** The command line as users run it, from the dist/ that `npm test` builds first; for children of tests. */
export const OAKUM: string = fileURLToPath(new URL('../bin/oakum.js', import.meta.url));
/** `node --import` of it loads TypeScript, compiled once for all processes; for children that run files of the tests. */
export const TYPESCRIPT: string = new URL('../scripts/test/typescript.mjs', import.meta.url).href;
/** Recordings of a cluster (lab/) and of programs (captures/), unpacked by the test runner. */
export const RECORDINGS: string = fileURLToPath(new URL('../.cache/recordings/', import.meta.url));
/** Recordings of programs of known truth (docs/zoo.md), unpacked by the test runner. */
export const ZOO_RECORDINGS: string = fileURLToPath(new URL('../.cache/recordings-zoo/', import.meta.url));
