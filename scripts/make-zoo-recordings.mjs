// node scripts/make-zoo-recordings.mjs FOLDER: packs test/fixtures/zoo.br from some recordings of the half of the zoo that
// rules are tuned on (FOLDER/tune as `npm run zoo -- record` leaves it). scripts/test/recordings.mjs draws the format and unpacks it.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack, plain, ZOO_RECORDINGS } from './test/recordings.mjs';

const MAX_BYTES = 3 * 1024 * 1024;
/** Of each kind of leak and each look of the healthy a few: a verdict on each takes a third of a second. */
const KEPT = new Set(
  (
    'cgoblock errgroup noisy openfiles redis series sessions ' +
    'bolt caddy-short clients-burst etcd-34 gcoff noisy-ok pushgateway-groups series-ok sessions-ok threadburst ' +
    'longpoll tides ttlcache'
  ).split(' '),
);

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node scripts/make-zoo-recordings.mjs FOLDER\n');
  process.exit(2);
}

const tune = join(folder, 'tune');
const files = readdirSync(tune, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(join(tune, '/').length))
  .filter(path => KEPT.has(path.split('/')[0].replace('.truth.json', '')))
  .map(path => ({ path, bytes: plain(join(tune, path)) }));
const packed = pack(files);
process.stdout.write(`${files.length} files in ${(packed.length / 1024 / 1024).toFixed(2)} MiB\n`);
if (packed.length > MAX_BYTES) {
  process.stderr.write('they are too large: leave out more\n');
  process.exit(1);
}
writeFileSync(ZOO_RECORDINGS, packed);
