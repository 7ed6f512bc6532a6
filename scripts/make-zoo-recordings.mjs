// node scripts/make-zoo-recordings.mjs FOLDER: packs test/fixtures/zoo.br from the half of the zoo that rules are tuned
// on (FOLDER/tune as `npm run zoo -- record` leaves it). scripts/test/recordings.mjs draws the format and unpacks it.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack, plain, ZOO_RECORDINGS } from './test/recordings.mjs';

const MAX_BYTES = 3 * 1024 * 1024;
/** Young recordings say the most for their size; the folder has older ones, too. */
const AGED = /-\d+m$/;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node scripts/make-zoo-recordings.mjs FOLDER\n');
  process.exit(2);
}

const tune = join(folder, 'tune');
const files = readdirSync(tune, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(join(tune, '/').length))
  .filter(path => !path.startsWith('.') && !AGED.test(path.split('/')[0].replace('.truth.json', '')))
  .map(path => ({ path, bytes: plain(join(tune, path)) }));
const packed = pack(files);
process.stdout.write(`${files.length} files in ${(packed.length / 1024 / 1024).toFixed(2)} MiB\n`);
if (packed.length > MAX_BYTES) {
  process.stderr.write('they are too large: leave out more\n');
  process.exit(1);
}
writeFileSync(ZOO_RECORDINGS, packed);
