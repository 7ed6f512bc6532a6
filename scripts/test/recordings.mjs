// The recordings of test/fixtures/*.br as files, for tests that read real folders. Packed together they take a tenth of
// the room: a profile is much like the one taken five minutes before.
//
//     [["captures/ages/healthy/1.txt", 1234], ["lab/leak-a/metrics.prom.gz", 5678], ...]\n    paths and lengths
//     the content of each, one after another; that of .gz files is not compressed
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { ROOT } from '../setup.mjs';

export const RECORDINGS = join(ROOT, 'test/fixtures/recordings.br');
export const ZOO_RECORDINGS = join(ROOT, 'test/fixtures/zoo.br');

/** Does nothing if they are there already. */
export function unpackRecordings() {
  unpack(RECORDINGS, join(ROOT, '.cache/recordings'));
  unpack(ZOO_RECORDINGS, join(ROOT, '.cache/recordings-zoo'));
}

function unpack(packedFile, folder) {
  const packed = readFileSync(packedFile);
  const stamp = createHash('sha256').update(packed).digest('hex');
  const stampFile = join(folder, '.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  // Aside, then renamed: another run may unpack, too.
  const draft = `${folder}-${process.pid}`;
  for (const [path, content] of packedFiles(packed)) {
    mkdirSync(dirname(join(draft, path)), { recursive: true });
    writeFileSync(join(draft, path), path.endsWith('.gz') ? gzipSync(content, { level: 1 }) : content);
  }
  writeFileSync(join(draft, '.stamp'), stamp);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/** The content of each file by its path; that of .gz files is not compressed. */
export function packedFiles(packed) {
  const bytes = brotliDecompressSync(packed);
  let at = bytes.indexOf('\n') + 1;
  const index = JSON.parse(bytes.toString('utf8', 0, at));
  return new Map(index.map(([path, length]) => [path, bytes.subarray(at, (at += length))]));
}

/** What is alike comes together, so that it is packed once. */
export function pack(files) {
  const sorted = [...files].sort((a, b) => (likeness(a.path) < likeness(b.path) ? -1 : 1));
  const index = JSON.stringify(sorted.map(({ path, bytes }) => [path, bytes.length]));
  return brotliCompressSync(Buffer.concat([Buffer.from(`${index}\n`), ...sorted.map(({ bytes }) => bytes)]), {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 11 },
  });
}

/** lab/leak-a/profiles/allocs-1794772045.pb.gz -> profile pb.gz lab/leak-a/profiles/1794772045 allocs */
function likeness(path) {
  const [, folder, name, extension] = /^(.*\/)?([^/.]*)\.?(.*)$/.exec(path);
  const [, kind, time = ''] = /^(.*?)-?(\d{10})?$/.exec(name);
  return `${kind.replace(/^allocs$/, 'heap')} ${extension} ${folder}${time} ${kind}`;
}

/** As it is packed: .gz files are not compressed. */
export function plain(path) {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}
