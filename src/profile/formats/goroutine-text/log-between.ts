/**
 * Log lines inside a goroutine. Two processes with one stderr, or a program that logs while it dumps, interleave them:
 *
 *     main.f(0x1)
 *     E1116 06:00:00.1 1 sync.go:2] "Could not sync" err="(attempt 2)"
 *     	/src/m.go:7 +0x1
 */
import { startsWith, type ByteScanner } from '../../../base/byte-scan.ts';
import { argumentsStart, isCall } from './frame-lines.ts';
import { looksLikeHeader } from './header.ts';

/** More lines than that are no interruption. */
const MAX_LINES = 50;

/**
 * Where the place of a call begins that stands behind log lines, the first of them at `from`; -1 when there is none. The
 * lines of dumps themselves end the search.
 */
export function placeBehindLog(scanner: ByteScanner, from: number): number {
  const { bytes, end } = scanner;
  for (let at = from, lines = 0; at < end && lines < MAX_LINES; lines++) {
    const newline = scanner.newline(at);
    const lineEnd = newline > at && bytes[newline - 1] === 13 ? newline - 1 : newline;
    const first = bytes[at];
    if (first === 9) return lines > 0 && newline < end ? at : -1;
    if (
      lineEnd === at ||
      looksLikeHeader(bytes, at, lineEnd) ||
      isCall(bytes, at, argumentsStart(bytes, at, lineEnd), lineEnd)
    )
      return -1;
    for (const mark of ['created by ', '[originating from ', '...', '-----', 'exit status ', 'non-Go function'])
      if (startsWith(bytes, mark, at, lineEnd)) return -1;
    at = newline + 1;
  }
  return -1;
}
