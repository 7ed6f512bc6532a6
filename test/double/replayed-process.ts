/** A process that answers as a recorded one did: whatever is asked for, with the file of that kind that is nearest in time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readCaptureManifest } from '../../src/evidence/formats/capture-manifest.ts';
import type { CaptureManifest } from '../../src/evidence/capture.ts';
import type { Reply } from '../../src/live/reply.ts';
import { ZOO_RECORDINGS } from '../places.ts';

export interface ReplayedProcess {
  readonly target: string;
  readonly manifest: CaptureManifest;
  readonly startSeconds: number;
  readonly get: (path: string, nowSeconds: number) => Reply;
}

/** Of the zoo: `sessions-ok`. */
export function replayedProcess(name: string): ReplayedProcess {
  const folder = join(ZOO_RECORDINGS, name);
  const files = readdirSync(folder);
  const manifest = readCaptureManifest(JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')));
  if (manifest === undefined) throw new Error(`${folder} is no capture`);
  /** `metrics-1795033915.prom.gz` of `/metrics`. */
  const fileAt = (path: string, nowSeconds: number): string | undefined => {
    const { pathname, searchParams } = new URL(path, 'http://process');
    const debug = searchParams.get('debug') ?? '0';
    const kind = pathname.split('/').at(-1) + (debug === '0' ? '' : `-d${debug}`);
    const taken = files.flatMap(file => {
      const [, ofKind, seconds] = /^(.*)-(\d{10})\./.exec(file) ?? [];
      return ofKind === kind ? [{ file, apart: Math.abs(Number(seconds) - nowSeconds) }] : [];
    });
    return taken.sort((a, b) => a.apart - b.apart)[0]?.file;
  };
  return {
    target: manifest.target,
    manifest,
    startSeconds: manifest.startedAtSeconds,
    get: (path, nowSeconds) => {
      const file = fileAt(path, nowSeconds);
      const stored = file === undefined ? Buffer.from('Unknown profile\n') : readFileSync(join(folder, file));
      const isBinary = file?.includes('.pb') === true;
      return {
        kind: 'answer',
        status: file === undefined ? 404 : 200,
        headers: { 'content-type': isBinary ? 'application/octet-stream' : 'text/plain', 'x-go-pprof': '1' },
        body: isBinary ? stored : inflated(stored),
        cut: undefined,
        headAtSeconds: nowSeconds,
        dateSeconds: nowSeconds,
        tookSeconds: 0.01,
      };
    },
  };
}

/** Texts are packed on disk, or plain in the recordings of the tests. */
function inflated(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}
