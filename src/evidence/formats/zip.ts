/**
 * The files in a zip archive, by its directory, which stands at the end.
 *
 *     local header | content | local header | content | directory: name, method, sizes, offset | end of directory
 */
import { FormatError } from '../../base/errors.ts';
import { decodeText } from '../../base/text.ts';

export interface ZipEntry {
  readonly name: string;
  /** As stored: deflated, unless `isStored`. */
  readonly content: Uint8Array;
  readonly isStored: boolean;
  readonly size: number;
  readonly mtimeSeconds: number | undefined;
  /** Why it cannot be read. */
  readonly problem: string | undefined;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;

/** Throws a FormatError where the archive has no directory. */
export function readZipEntries(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end < 0) throw new FormatError('the zip archive ends before its directory', { offset: bytes.length });
  const count = view.getUint16(end + 10, true);
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== CENTRAL) {
      throw new FormatError('the directory of the zip archive is damaged', { offset: Math.min(at, bytes.length) });
    }
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const entry = entryAt(bytes, view, at, decodeText(bytes, at + 46, Math.min(nameEnd, bytes.length)));
    if (!entry.name.endsWith('/')) entries.push(entry);
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** The end of the directory, before a comment of any length. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) if (view.getUint32(at, true) === END) return at;
  return -1;
}

function entryAt(bytes: Uint8Array, view: DataView, at: number, name: string): ZipEntry {
  const method = view.getUint16(at + 10, true);
  const [packed, size, offset] = [20, 24, 42].map(field => view.getUint32(at + field, true));
  const stamp = view.getUint32(at + 12, true);
  const entry = { name, content: new Uint8Array(), isStored: method === STORED, size, mtimeSeconds: timeOf(stamp) };
  if ((view.getUint16(at + 8, true) & 1) === 1) return { ...entry, problem: 'it is encrypted' };
  if (method !== STORED && method !== DEFLATED)
    return { ...entry, problem: `packed by method ${method}, which is not read` };
  if (packed === 0xffffffff || offset === 0xffffffff)
    return { ...entry, problem: 'larger than 4 GiB, which is not read' };
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== LOCAL)
    return { ...entry, problem: 'not where the directory says' };
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packed > bytes.length) return { ...entry, problem: 'the archive ends inside it' };
  return { ...entry, content: bytes.subarray(start, start + packed), problem: undefined };
}

/** MS-DOS time, which has no zone: read as UTC. */
function timeOf(stamp: number): number | undefined {
  const [date, time] = [stamp >>> 16, stamp & 0xffff];
  if (date === 0) return undefined;
  const millis = Date.UTC(
    1980 + (date >>> 9),
    ((date >>> 5) & 15) - 1,
    date & 31,
    time >>> 11,
    (time >>> 5) & 63,
    (time & 31) * 2,
  );
  return millis / 1000;
}
