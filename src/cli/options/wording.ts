/** Wording shared by messages and help. */
import { visible } from '../../base/visible-text.ts';

/** `text, json or yaml`. */
export function enumeration(words: readonly string[], last = 'or'): string {
  const head = words.slice(0, -1).join(', ');
  return head === '' ? (words.at(-1) ?? '') : `${head} ${last} ${words.at(-1)}`;
}

const LONGEST = 80;

/** User input for a message: on one line, cut if long, quoted if it is empty or has spaces. */
export function shown(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  return cut === '' || /\s/.test(cut) ? JSON.stringify(cut) : visible(cut);
}
