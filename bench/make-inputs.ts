/** Makes one input, in its own process, so that the measuring one stays small: make-inputs.ts NAME PATH. */
import { writeFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';
import { encodeProfile } from '../src/profile/formats/pprof/encode.ts';
import { makeDebug1, makeDebug2 } from './make-goroutines.ts';
import { makeHeapProfile } from './make-heap.ts';

const HEAP_DEPTH = 18;
const DUMP_BYTES = 64 << 20;

const makers: Readonly<Record<string, (path: string) => void>> = {
  'heap-550k.pb.gz': path => makeHeap(path, 550_000),
  'heap-800k.pb.gz': path => makeHeap(path, 800_000),
  'heap-1600k.pb.gz': path => makeHeap(path, 1_600_000),
  'goroutines.debug2.txt': path => makeDebug2(path, DUMP_BYTES - 1, false),
  'goroutines-labels.debug2.txt': path => makeDebug2(path, DUMP_BYTES - 1, true),
  'goroutines-3k-rows.debug1.txt': path => makeDebug1(path, 3_000, 1_000_000, false),
  'goroutines-1m-rows.debug1.txt': path => makeDebug1(path, 1_000_000, 1_000_000, true),
};

function makeHeap(path: string, samples: number): void {
  const level = constants.Z_DEFAULT_COMPRESSION;
  writeFileSync(path, gzipSync(encodeProfile(makeHeapProfile(samples, HEAP_DEPTH)), { level }));
}

const [name, path] = process.argv.slice(2);
makers[name](path);
