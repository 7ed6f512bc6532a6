/** Real files of every format: our fixtures, and the captures and third-party profiles beside the repository. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { encodeText, joinBytes } from '../../src/base/text.ts';
import { writeFolded } from '../../src/profile/formats/write-folded.ts';
import { readAny } from '../../src/evidence/formats/read.ts';
import type { ProfileFormatName } from '../../src/evidence/formats/registry.ts';
import { CAPTURES, CONFORMANCE, ROOT } from '../conformance/places.ts';

export interface Specimen {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type Corpus = ReadonlyMap<ProfileFormatName, readonly Specimen[]>;

/** Larger files are cut: mutations near the front are as good, and many small inputs find more than few large ones. */
const MAX_BYTES = 48 * 1024;
const PER_FORMAT = 60;

let loaded: Corpus | undefined;

/** Once. */
export function loadCorpus(): Corpus {
  return (loaded ??= readCorpus());
}

function readCorpus(): Corpus {
  const corpus = new Map<ProfileFormatName, Specimen[]>();
  const add = (format: ProfileFormatName, specimen: Specimen): void => {
    const list = corpus.get(format);
    if (list === undefined) corpus.set(format, [specimen]);
    else if (list.length < PER_FORMAT) list.push(specimen);
  };
  const roots: readonly (readonly [folder: string, shown: string])[] = [
    [join(ROOT, 'test/fixtures/captures'), 'fixtures'],
    [join(ROOT, 'test/fixtures/otlp'), 'otlp'],
    [CAPTURES, 'captures'],
    [CONFORMANCE, 'conformance'],
  ];
  for (const [folder, shown] of roots) {
    for (const path of filesOf(folder)) {
      const name = `${shown}${path.slice(folder.length)}`;
      const bytes = contentOf(path);
      const format = bytes === undefined ? undefined : formatOf(bytes);
      if (bytes === undefined || format === undefined) continue;
      add(format, { name, bytes: cut(bytes, format) });
    }
  }
  // No capture is in folded form, so some are converted.
  for (const { name, bytes } of (corpus.get('pprof') ?? []).slice(0, 12)) {
    const { profile } = readAny(bytes);
    add('folded', { name: `folded ${name}`, bytes: cut(writeFolded(profile), 'folded') });
    add('folded', { name: `all types ${name}`, bytes: cut(writeFolded(profile, { allTypes: true }), 'folded') });
  }
  // A message may be written again and again; in a short one every change breaks something.
  for (const { name, bytes } of (corpus.get('otlp') ?? []).slice(0, 2)) {
    if (bytes[0] !== 0x7b)
      add('otlp', { name: `repeated ${name}`, bytes: joinBytes(Array.from({ length: 40 }, () => bytes)) });
  }
  // Dumps as they appear in a log.
  for (const { name, bytes } of (corpus.get('debug2') ?? []).slice(0, 4)) {
    const lines = new TextDecoder('latin1').decode(bytes.subarray(0, 8192)).split('\n');
    const logged = lines.map(line => `2026-02-03T04:05:06.789012345Z stderr F ${line}`).join('\n');
    add('debug2', { name: `logged ${name}`, bytes: encodeText(logged) });
  }
  return corpus;
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const out: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) out.push(...filesOf(path));
    else if (!/\.(md|tsv|json|dot|rpt|string|raw|src|svg|html)$|LICENSE|oracle.*\.txt$/.test(path)) out.push(path);
  }
  return out;
}

function contentOf(path: string): Uint8Array | undefined {
  if (statSync(path).size > 1 << 20) return undefined;
  const bytes = readFileSync(path);
  try {
    // Plain arrays: `slice` of a Buffer does not copy, and mutations must not change the corpus.
    return new Uint8Array(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);
  } catch {
    return undefined;
  }
}

function formatOf(bytes: Uint8Array): ProfileFormatName | undefined {
  if (bytes.length === 0) return undefined;
  try {
    return readAny(bytes).format;
  } catch {
    return undefined;
  }
}

function cut(bytes: Uint8Array, format: ProfileFormatName): Uint8Array {
  if (bytes.length <= MAX_BYTES || format === 'pprof') return bytes.slice();
  const end = bytes.lastIndexOf(10, MAX_BYTES);
  return bytes.slice(0, end > 0 ? end + 1 : MAX_BYTES);
}
