/** Whether bytes are text of any encoding that keeps ASCII: no control characters below the tab in the first kilobyte. */
export function isText(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, 1024);
  for (let i = 0; i < end; i++) if (bytes[i] < 0x09) return false;
  return true;
}
