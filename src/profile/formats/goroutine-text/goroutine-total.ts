import { decodeText } from '../../../base/text.ts';

/** The number in the first line of debug=1: `goroutine profile: total 5529`. */
export function goroutineTotal(content: Uint8Array): number | undefined {
  const match = /^goroutine profile: total (\d{1,15})\s/.exec(decodeText(content.subarray(0, 100)));
  return match === null ? undefined : Number(match[1]);
}
