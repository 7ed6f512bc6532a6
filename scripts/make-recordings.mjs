// node scripts/make-recordings.mjs SHARED: packs test/fixtures/recordings.br from SHARED/lab (a recorded cluster,
// docs/lab.md) and SHARED/captures (recorded programs). scripts/test/recordings.mjs draws the format and unpacks it.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack, plain, RECORDINGS } from './test/recordings.mjs';
import { ROOT } from './setup.mjs';

const MAX_BYTES = 6 * 1024 * 1024;
/** Large, and nothing in them that the other files lack. */
const LEFT_OUT = [
  /README|COMMANDS|^captures\/kcp\/|^lab\/src\//,
  /control-plane\/(?:start\/|end\/(?:pods|deploy-rs)\.json|end\/.*-allocs)/,
  /(?<!leak-a|fix-d)\/profiles\/allocs-/,
];
/** Events of pods: enough to be in the way of those of nodes. */
const POD_EVENTS = 200;

const [shared] = process.argv.slice(2);
if (shared === undefined) {
  process.stderr.write('usage: node scripts/make-recordings.mjs SHARED\n');
  process.exit(2);
}

const demoMetrics = new Set(
  readdirSync(join(ROOT, 'demo'), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .flatMap(({ name }) =>
      plain(join(ROOT, 'demo', name, 'metrics.prom.gz'))
        .toString()
        .match(/^\w+/gm),
    ),
);

const files = ['captures', 'lab']
  .flatMap(folder => readdirSync(join(shared, folder), { recursive: true, withFileTypes: true }))
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(join(shared, '/').length))
  .filter(path => !LEFT_OUT.some(one => one.test(path)))
  .map(path => ({ path, bytes: lessOf(path, plain(join(shared, path))) }));

const packed = pack(files);
process.stdout.write(`${files.length} files in ${(packed.length / 1024 / 1024).toFixed(2)} MiB\n`);
if (packed.length > MAX_BYTES) {
  process.stderr.write('they are too large: leave out more\n');
  process.exit(1);
}
writeFileSync(RECORDINGS, packed);

function lessOf(path, bytes) {
  if (/^lab\/[^/]*\/metrics\.prom/.test(path)) return readMetrics(bytes.toString(), path.includes('/leak-a/'));
  // One scrape of the probes is like the other.
  if (/metrics-probes\.prom/.test(path)) return Buffer.from(bytes.toString().split(/^(?=# \w+ scrape )/m)[0]);
  return path.endsWith('/events.json.gz') ? nodeEvents(bytes) : bytes;
}

/** Series that something reads, as in demo/; the whole of the first scrape if `whole`. */
function readMetrics(text, whole) {
  let scrapes = 0;
  const lines = text.split('\n').filter(line => {
    if (/^# \w+ scrape /.test(line)) return ++scrapes > 0;
    return (whole && scrapes === 1) || demoMetrics.has(/^\w+/.exec(line)?.[0] ?? '');
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

function nodeEvents(bytes) {
  const { items, ...list } = JSON.parse(bytes.toString());
  let others = 0;
  const kept = items.filter(item => item.involvedObject.kind === 'Node' || ++others <= POD_EVENTS);
  return Buffer.from(JSON.stringify({ ...list, items: kept }));
}
