/**
 * Files of the zoo, in .cache/zoo or $OAKUM_ZOO_CACHE:
 *
 *     deb/NAME/usr/bin/...          a Debian package, unpacked
 *     bin/MODULE@VERSION/BINARY     built from the Go module proxy
 *     own/HASH/member, load         built from go/ beside this file
 *     run/zoo.json                  which members run, and at which ports
 *     run/run, run/logs, run/data   their processes, what they print, what they write
 *     captures/tune, captures/test  what was recorded
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));
export const GO_SOURCES: string = fileURLToPath(new URL('go/', import.meta.url));
export const CACHE: string = process.env.OAKUM_ZOO_CACHE || join(ROOT, '.cache', 'zoo');
export const RUN: string = join(CACHE, 'run');
export const CAPTURES: string = join(CACHE, 'captures');
