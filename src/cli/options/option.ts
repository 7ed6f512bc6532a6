/**
 * One option of a command. Its entry in the command's table defines everything: parsing, `--help` and shell completion.
 * The key is the name: `failOn` is typed `--fail-on`.
 *
 *     const OPTIONS: OptionTable<Request> = {
 *       output: choice(['text', 'json'])({ short: 'o', default: 'text', help: '' }),
 *       gap: duration({ default: '5m', help: 'time between two sets of profiles' }),
 *     };
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

/** `failOn` -> `--fail-on`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

export function entriesOf(table: OptionTable<object>): [key: string, option: Option<unknown>][] {
  return Object.entries(table);
}
