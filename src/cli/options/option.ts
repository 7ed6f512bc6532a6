import { quotedText } from '../../base/matcher-text.ts';
import { visible } from '../../base/visible-text.ts';
import { Failure } from '../../base/errors.ts';

/**
 * One option of a command. Its entry in the command's table defines everything: parsing, `--help` and shell completion.
 * The key is the name: `failOn` is typed `--fail-on`.
 *
 *     options: {
 *       output: choice(['text', 'json'])({ short: 'o', default: 'text', help: '' }),
 *       gap: duration({ default: '5m', help: 'time between two sets of profiles' }),
 *     },
 */
export interface Option<T> {
  readonly short?: string;
  /** Placeholder for the value in the help: FILE. A switch has none. */
  readonly placeholder?: string;
  readonly help: string;
  /** May be given more than once. */
  readonly repeats?: true;
  /** The heading in the help; a command's own options have none. */
  readonly section?: string;
  /** All values that it accepts. */
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  /** Keys of options that must be given too. */
  readonly needs?: readonly string[];
  /** Keys of options that must not be given as well. */
  readonly excludes?: readonly string[];
  /** Parses the typed texts; there are none if the option is absent. Throws a usage failure. */
  readonly read: (texts: readonly string[], flag: string) => T;
}

export type Completes = 'files' | 'folders';

export type OptionTable<V> = { readonly [K in keyof V]-?: Option<V[K]> };

export type AnyTable = Readonly<Record<string, Option<unknown>>>;

/** What a command gets from its table. */
export type ValuesOf<T> = { readonly [K in keyof T]: T[K] extends Option<infer V> ? V : never };

/** `failOn` -> `--fail-on`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

export function entriesOf(table: OptionTable<object>): [key: string, option: Option<unknown>][] {
  return Object.entries(table);
}

/** The name that was probably meant; undefined if none is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(typed.replace(/^-+/, '').length / 3));
  let best: string | undefined;
  let least = most + 1;
  for (const name of names) {
    if (Math.abs(name.length - typed.length) >= least) continue;
    const distance = editDistance(typed, name);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** Letters to add, drop, replace or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

/** The operands, if there is at least one. Otherwise throws a usage failure that says what is missing. */
export function someOf(operands: readonly string[], missing: string): readonly string[] {
  if (operands.length === 0) throw new Failure('usage', missing);
  return operands;
}

/** Throws a usage failure if there are operands. */
export function noneOf(operands: readonly string[], command: string): void {
  if (operands[0] !== undefined) throw new Failure('usage', `${command} takes no argument, got ${shown(operands[0])}`);
}

/** `text, json or yaml`. */
export function enumeration(words: readonly string[], last = 'or'): string {
  const head = words.slice(0, -1).join(', ');
  return head === '' ? (words.at(-1) ?? '') : `${head} ${last} ${words.at(-1)}`;
}

const LONGEST = 80;

/** User input for a message: on one line, cut if long, quoted if it is empty or has spaces. */
export function shown(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  return cut === '' || /\s/.test(cut) ? quotedText(cut) : visible(cut);
}
