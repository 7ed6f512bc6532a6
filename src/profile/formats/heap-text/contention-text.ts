/** Go's mutex and block profiles at debug=1, with the symbols that pprof's own reader throws away. */
import type { Profile } from '../../profile.ts';
import { UnrecognizedProfileError } from '../unrecognized.ts';
import { markSymbolized, SymbolLines } from './symbol-lines.ts';
import {
  isContentionTitle,
  newContentionDraft,
  readContentionHeader,
  readContentionRow,
} from '../legacy/contention.ts';
import { hasAsciiAt, trimStart } from '../legacy/go-space.ts';
import { LineScanner } from '../legacy/line-scanner.ts';
import { readAdditionalSections } from '../legacy/memory-map.ts';

/** Whether a file that begins like this is Go's mutex or block profile at debug=1. */
export function sniffContentionText(head: Uint8Array): boolean {
  return hasAsciiAt(head, '--- mutex:', 0, head.length) || hasAsciiAt(head, '--- contention:', 0, head.length);
}

export interface ContentionText {
  readonly profile: Profile;
  readonly contention: 'mutex' | 'block';
}

export function readContentionText(bytes: Uint8Array): ContentionText {
  const lines = new LineScanner(bytes);
  const unrecognized = (): UnrecognizedProfileError => new UnrecognizedProfileError({ line: lines.line });
  const isThere = lines.scan();
  lines.check();
  if (!isThere || !isContentionTitle(bytes, lines.start, lines.end)) throw unrecognized();
  const header = readContentionHeader(lines);
  if (header === undefined) throw unrecognized();
  const draft = newContentionDraft(header);
  const symbols = new SymbolLines(bytes, draft);
  do {
    const start = trimStart(bytes, lines.start, lines.end);
    if (start === lines.end) continue;
    if (bytes[start] === 0x23) {
      symbols.add(start, lines.end);
      continue;
    }
    if (hasAsciiAt(bytes, '---', start, lines.end)) break;
    symbols.attach();
    if (!readContentionRow(lines, draft, header)) throw unrecognized();
  } while (lines.scan());
  lines.check();
  symbols.attach();
  readAdditionalSections(lines, draft);
  markSymbolized(draft);
  return { profile: draft.finish(), contention: hasAsciiAt(bytes, '--- mutex:', 0, bytes.length) ? 'mutex' : 'block' };
}
