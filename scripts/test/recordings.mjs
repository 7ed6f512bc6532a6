// The recordings of test/fixtures/recordings.br as files, for tests that read real folders. Packed together they take
// a tenth of the room: a profile is much like the one taken five minutes before.
//
//     [["captures/ages/healthy/1.txt", 1234], ["lab/leak-a/metrics.prom.gz", 5678], ...]\n    paths and lengths
//     the content of each, one after another; that of .gz files is not compressed
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { ROOT } from '../setup.mjs';

export const RECORDINGS = join(ROOT, 'test/fixtures/recordings.br');

const FOLDER = join(ROOT, '.cache/recordings');

/** Does nothing if they are there already. */
export function unpackRecordings() {
  const packed = readFileSync(RECORDINGS);
  const stamp = createHash('sha256').update(packed).digest('hex');
  const stampFile = join(FOLDER, '.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  // Aside, then renamed: another run may unpack, too.
  const draft = `${FOLDER}-${process.pid}`;
  const bytes = brotliDecompressSync(packed);
  let at = bytes.indexOf('\n') + 1;
  for (const [path, length] of JSON.parse(bytes.toString('utf8', 0, at))) {
    const content = bytes.subarray(at, (at += length));
    mkdirSync(dirname(join(draft, path)), { recursive: true });
    writeFileSync(join(draft, path), path.endsWith('.gz') ? gzipSync(content, { level: 1 }) : content);
  }
  writeFileSync(join(draft, '.stamp'), stamp);
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(draft, FOLDER);
}
