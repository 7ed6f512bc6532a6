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
