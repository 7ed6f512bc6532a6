/** Tells from the beginning of a file whether it is goroutine text. */
import { ByteScanner, textStart } from '../../../base/byte-scan.ts';
import { profileHeader } from './debug1.ts';
import { looksLikeHeader } from './header.ts';

/** Whether a line reads `NAME profile: total N`. */
export function sniffDebug1(head: Uint8Array): boolean {
  return someLine(head, (start, end) => profileHeader(head, start, end) !== undefined);
}

/** Whether a line reads `goroutine N [state...]:`. */
export function sniffDebug2(head: Uint8Array): boolean {
  return someLine(head, (start, end) => looksLikeHeader(head, start, end) && head[end - 1] === 0x3a);
}

function someLine(head: Uint8Array, matches: (start: number, end: number) => boolean): boolean {
  const scanner = new ByteScanner(head);
  for (let at = textStart(head); at < head.length;) {
    const newline = scanner.newline(at);
    const end = newline > at && head[newline - 1] === 13 ? newline - 1 : newline;
    if (matches(at, end)) return true;
    at = newline + 1;
  }
  return false;
}
