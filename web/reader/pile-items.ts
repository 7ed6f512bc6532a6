/** Dropped files as a pile: decompressed, and archives as their members. */
import { unpackTar } from 'modern-tar';
import { FormatError } from '../../src/base/errors.ts';
import { formatBytes } from '../../src/base/say.ts';
import type { PileItem } from '../../src/evidence/pile.ts';
import { readZipEntries } from '../../src/evidence/formats/zip.ts';
import { gunzipped, inflated, MAX_CONTENT_BYTES } from './gunzip.ts';
import { isTar, isZip } from '../../src/base/sniff.ts';

export interface PileFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mtimeSeconds: number;
}

const MAX_MEMBERS = 10_000;

export async function* pileItems(
  files: readonly PileFile[],
  maxBytes: number = MAX_CONTENT_BYTES,
): AsyncGenerator<PileItem> {
  let [members, left] = [0, maxBytes];
  for (const { path, bytes, mtimeSeconds } of files) {
    try {
      for await (const member of membersOf(path, bytes, left)) {
        left -= member.bytes.length;
        if (++members > MAX_MEMBERS) {
          yield problem(path, `more than ${MAX_MEMBERS} files; the rest is not read`);
          return;
        }
        yield { kind: 'member', mtimeSeconds, ...member, damage: undefined };
      }
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      yield problem(path, error.describe());
    }
  }
}

interface Member {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mtimeSeconds?: number;
}

async function* membersOf(path: string, bytes: Uint8Array, maxBytes: number): AsyncGenerator<Member> {
  const content = await gunzipped(bytes, maxBytes);
  if (isZip(content)) return yield* unzipped(path, content, maxBytes - content.length);
  if (!isTar(content)) return yield { path, bytes: content };
  let left = maxBytes - content.length;
  for (const { header, data } of await unpacked(content)) {
    if (header.type !== 'file' || data === undefined) continue;
    const inner = await gunzipped(data, left);
    left -= inner.length;
    const mtimeSeconds = header.mtime === undefined ? {} : { mtimeSeconds: header.mtime.getTime() / 1000 };
    yield { path: `${path}/${header.name}`, bytes: inner, ...mtimeSeconds };
  }
}

async function* unzipped(path: string, content: Uint8Array, maxBytes: number): AsyncGenerator<Member> {
  let left = maxBytes;
  for (const { name, content: packed, isStored, problem: wrong, mtimeSeconds } of readZipEntries(content)) {
    if (wrong !== undefined) throw new FormatError(`${name}: ${wrong}`);
    const bytes = await gunzipped(isStored ? packed : await inflated(packed, left), left);
    left -= bytes.length;
    yield { path: `${path}/${name}`, bytes, ...(mtimeSeconds === undefined ? {} : { mtimeSeconds }) };
  }
}

async function unpacked(content: Uint8Array): ReturnType<typeof unpackTar> {
  try {
    return await unpackTar(content, { filter: ({ size }) => size <= content.length });
  } catch (error) {
    throw new FormatError(`a damaged archive of ${formatBytes(content.length)}: ${(error as Error).message}`);
  }
}

function problem(path: string, message: string): PileItem {
  return { kind: 'problem', path, message };
}
