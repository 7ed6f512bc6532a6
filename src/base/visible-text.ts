/**
 * Text that others chose, made visible: nothing in it can move the cursor, change colours, hide or reorder what is
 * printed.
 *
 *     visible('\x1b[31mpod')    \x1b[31mpod
 *     visible('a\nb')           a\nb        (a backslash and an n)
 */
import { displayWidth } from './text-layout.ts';

/** C0, DEL and C1 controls, line separators, bidirectional marks, invisible characters, lone surrogates. */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function visible(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** Text of several lines, with tabs, for a terminal. */
export function visibleLines(text: string): string {
  return text.replace(HIDDEN, char => (char === '\n' || char === '\t' ? char : escaped(char)));
}

/** For JSON and double-quoted YAML: the same characters as `\uXXXX`, which are read back unchanged. */
export function unicodeEscaped(text: string): string {
  return text.replace(HIDDEN, char => (char === '\n' ? char : units(char)));
}

export function hasHidden(text: string): boolean {
  return text.search(HIDDEN) >= 0;
}

function escaped(char: string): string {
  const short = SHORT[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) as number;
  // A byte that was not UTF-8, see base/text.ts.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

function units(char: string): string {
  let out = '';
  for (let i = 0; i < char.length; i++) out += `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return out;
}

/** Cuts in the middle, where long symbol names say the least. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width || width < 4) return text;
  const chars = [...text];
  const room = width - 1;
  let head = '';
  let tail = '';
  let [from, to] = [0, chars.length - 1];
  for (let used = 0; from <= to;) {
    const fromTail = displayWidth(tail) <= displayWidth(head);
    const char = fromTail ? chars[to] : chars[from];
    used += displayWidth(char);
    if (used > room) break;
    if (fromTail) ((tail = char + tail), to--);
    else ((head += char), from++);
  }
  return `${head}…${tail}`;
}
