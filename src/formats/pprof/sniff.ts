/** Whether bytes can be the start of a profile.proto: a first tag that the message has, with its wire type. */
export function looksLikeProto(head: Uint8Array): boolean {
  if (head.length < 2) return false;
  const field = head[0] >>> 3;
  const wireType = head[0] & 7;
  if (head[0] >= 0x80) return wireType === 0 || wireType === 1 || wireType === 2 || wireType === 5;
  if (field >= 1 && field <= 6) return wireType === 2;
  if (field === 11) return wireType === 2;
  if (field === 13) return wireType === 2 || wireType === 0;
  if (field >= 7 && field <= 15) return wireType === 0;
  return false;
}
