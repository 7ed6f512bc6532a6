/**
 * Sorts the arguments of a command line by the command's option table.
 *
 *     heap.pb.gz --top 5 -o json --fail-on=leak      { top: ['5'], output: ['json'], failOn: ['leak'] }, ['heap.pb.gz']
 *
 * `--top -5` gives --top the value -5, which the option checks; `--` ends the options.
 */
import { Failure } from '../../base/failure.ts';
import { nearest } from './nearest.ts';
import { entriesOf, flagOf, type Option, type OptionTable } from './option.ts';
import { enumeration, shown } from './wording.ts';

export interface SortedWords {
  /** Texts by option key, in the order typed; a switch has ''. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
  /** Those of the operands that came after `--`; undefined without it. */
  readonly afterDashes: readonly string[] | undefined;
}

interface Known {
  readonly key: string;
  readonly option: Option<unknown>;
}

/** Throws a usage failure if an option is unknown or lacks its value. */
export function sortWords(argv: readonly string[], table: OptionTable<object>): SortedWords {
  const known = knownFlags(table);
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  let afterDashes: readonly string[] | undefined;
  const words = [...argv].reverse();
  const add = ({ key }: Known, text: string): void => void given.set(key, [...(given.get(key) ?? []), text]);
  const valueOf = ({ option }: Known, flag: string, attached: string | undefined): string => {
    if (option.placeholder === undefined) {
      if (attached !== undefined) throw new Failure('usage', `${flag} takes no value`);
      return '';
    }
    if (attached !== undefined) return attached;
    const next = words.at(-1);
    if (next === undefined || /^-[^\d]/.test(next)) throw new Failure('usage', `${flag} needs a value`);
    words.pop();
    return next;
  };

  for (let word = words.pop(); word !== undefined; word = words.pop()) {
    if (word === '--') {
      afterDashes = words.reverse();
      operands.push(...afterDashes);
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    const [flag = '', attached] = word.split(/=(.*)/s);
    if (word.startsWith('--')) {
      const found = known.get(flag) ?? unknownOption(flag, known);
      add(found, valueOf(found, flag, attached));
      continue;
    }
    if (known.has(`-${flag}`)) throw new Failure('usage', `unknown option ${flag}; did you mean -${flag}?`);
    // Short options, which may be joined: -vo json, -ojson.
    for (let at = 1; at < word.length; at++) {
      const short = `-${word.charAt(at)}`;
      const found = known.get(short) ?? unknownOption(short, known);
      const rest = found.option.placeholder === undefined || at === word.length - 1 ? undefined : word.slice(at + 1);
      add(found, valueOf(found, short, rest?.replace(/^=/, '')));
      if (rest !== undefined) break;
    }
  }
  return { given, operands, afterDashes };
}

/** Throws a usage failure that names the wrong value, or the options that exclude each other. */
export function readValues<V extends object>(given: SortedWords['given'], table: OptionTable<V>): V {
  const values: Record<string, unknown> = {};
  for (const [key, option] of entriesOf(table)) {
    values[key] = option.read(given.get(key) ?? [], flagOf(key));
    if (!given.has(key)) continue;
    const { needs = [], excludes = [] } = option;
    if (needs.length > 0 && !needs.some(other => given.has(other)))
      throw new Failure('usage', `${flagOf(key)} needs ${enumeration(needs.map(flagOf))}`);
    const excluded = excludes.find(other => given.has(other));
    if (excluded !== undefined) throw new Failure('usage', `${flagOf(key)} and ${flagOf(excluded)} exclude each other`);
  }
  return values as V;
}

function knownFlags(table: OptionTable<object>): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const [key, option] of entriesOf(table)) {
    known.set(flagOf(key), { key, option });
    if (option.short !== undefined) known.set(`-${option.short}`, { key, option });
  }
  return known;
}

function unknownOption(flag: string, known: ReadonlyMap<string, Known>): never {
  const meant = flag.length > 2 ? nearest(flag, [...known.keys()]) : undefined;
  throw new Failure('usage', `unknown option ${shown(flag)}${meant === undefined ? '' : `; did you mean ${meant}?`}`);
}
