/** Whether the bytes start with gzip's magic number of two bytes. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Whether the bytes start with an entry of a zip archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/** Whether bytes start with the header of a tar archive, by the checksum that every tar has, even the oldest. */
export const TAR_BLOCK_BYTES = 512;

export function isTar(head: Uint8Array): boolean {
  if (head.length < TAR_BLOCK_BYTES) return false;
  // The checksum counts its own eight bytes as blanks.
  let sum = 8 * 0x20;
  for (let i = 0; i < TAR_BLOCK_BYTES; i++) if (i < 148 || i >= 156) sum += head[i];
  const field = String.fromCharCode(...head.subarray(148, 156))
    .replace(/[\0 ]+$/, '')
    .trim();
  return /^[0-7]+$/.test(field) && parseInt(field, 8) === sum;
}

/** Whether bytes are text of any encoding that keeps ASCII: no control characters below the tab in the first kilobyte. */
export function isText(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, 1024);
  for (let i = 0; i < end; i++) if (bytes[i] < 0x09) return false;
  return true;
}
