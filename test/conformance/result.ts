import { decodeText } from '../../src/base/text.ts';

export interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly detail?: string;
  /** How to see the difference by hand. */
  readonly command?: string;
  /** The peer does not agree with itself, so nothing is proved. */
  readonly unstable?: boolean;
}

/** The first line in which two outputs differ, or undefined if they are equal. */
export function firstDifference(expected: Uint8Array, actual: Uint8Array): string | undefined {
  if (Buffer.compare(expected, actual) === 0) return undefined;
  const want = decodeText(expected).split('\n');
  const have = decodeText(actual).split('\n');
  let line = 0;
  while (line < want.length && line < have.length && want[line] === have[line]) line++;
  return `line ${line + 1}: expected ${quote(want[line])}, got ${quote(have[line])}`;
}

function quote(line: string | undefined): string {
  if (line === undefined) return 'the end';
  return JSON.stringify(line.length > 160 ? `${line.slice(0, 160)}...` : line);
}

/** Quotes a word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
