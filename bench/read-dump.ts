/**
 * Reads a goroutine dump several times and prints the seconds of each run as JSON: read-dump FILE READS stacks|profile.
 * Bundled before it runs, like the command line.
 */
import { readFileSync } from 'node:fs';
import { readDebug2 } from '../src/profile/formats/goroutine-text/debug2.ts';
import { readAny } from '../src/evidence/formats/read.ts';

const [path, reads, result] = process.argv.slice(2);
const bytes = readFileSync(path);
const seconds: number[] = [];
let goroutines = 0;
for (let read = 0; read < Number(reads); read++) {
  const start = process.hrtime.bigint();
  const dump = result === 'stacks' ? readDebug2(bytes) : readAny(bytes).dump;
  seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
  goroutines = dump?.goroutines.length ?? 0;
}
process.stdout.write(`${JSON.stringify({ goroutines, seconds })}\n`);
