/** Whether a file that begins like this is a profile older than profile.proto. */
import { isContentionTitle } from './contention.ts';
import { isCpuBinary } from './cpu-binary.ts';
import { goCountKind } from './go-count.ts';
import { isBlankOrComment, trimEnd, trimStart } from './go-space.ts';
import { parseHeapHeader } from './heap-header.ts';
import { javaKind } from './java.ts';
import { LineScanner } from './line-scanner.ts';
import { isThreadsTitle } from './threadz.ts';

export function sniffLegacy(head: Uint8Array): boolean {
  return isCpuBinary(head) || hasTitle(head);
}

function hasTitle(head: Uint8Array): boolean {
  const lines = new LineScanner(head);
  if (!lines.scan()) return false;
  const { start, end } = lines;
  if (parseHeapHeader(head, start, end) !== undefined || isContentionTitle(head, start, end)) return true;
  const trimmed = trimStart(head, start, end);
  if (javaKind(head, trimmed, trimEnd(head, trimmed, end)) !== undefined) return true;
  // The others may have blank lines and comments above their title.
  while (isBlankOrComment(head, lines.start, lines.end)) if (!lines.scan()) return false;
  return goCountKind(head, lines.start, lines.end) !== undefined || isThreadsTitle(head, lines.start, lines.end);
}
