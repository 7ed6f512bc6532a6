/** A command as the command line knows it: from its arguments to its work. */
import { oneLine } from '../../base/text-layout.ts';
import { type Io, fail, reportFailure } from '../io.ts';
import { helpText } from './help-text.ts';
import { flag } from './kinds.ts';
import {
  entriesOf,
  flagOf,
  type Completes,
  type AnyTable,
  type OptionTable,
  type Option,
  type ValuesOf,
  nearest,
  enumeration,
  shown,
} from './option.ts';
import { EXIT, Failure } from '../../base/errors.ts';

export interface Command {
  readonly name: string;
  readonly flags: readonly TypedFlag[];
  readonly operands: Operands;
  /** Undefined if its help is a text of its own. */
  readonly manual?: Pick<CommandLine<AnyTable, unknown>, 'usage' | 'examples' | 'about'>;
  readonly run: (argv: readonly string[], io: Io, call: Call) => Promise<number>;
}

/** How the program was called. */
export interface Call {
  /** `oakum`, or `kubectl oakum`. */
  readonly programName: string;
  /** Every command, in the order of the help. */
  readonly commands: readonly ListedCommand[];
}

export interface ListedCommand {
  /** One line for the help of `oakum`. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export type DescribedCommand = Command & Pick<ListedCommand, 'summary'>;

/** An option as typed, for completion. */
export interface TypedFlag {
  /** `-o` and `--output`. */
  readonly names: readonly string[];
  readonly takesValue: boolean;
  readonly repeats: boolean;
  readonly placeholder: string;
  readonly help: string;
  readonly choices: readonly string[];
  readonly completes: Completes | undefined;
}

/** What the shells complete when no option is typed. */
export interface Operands {
  /** Words that may come first. */
  readonly subcommands?: readonly string[];
  /** Words, or prefixes of words, that may come anywhere. */
  readonly words?: readonly string[];
  readonly completes?: Completes;
}

/** What the user may type, and the request that becomes of it. */
export interface CommandLine<T extends AnyTable, R> {
  readonly name: string;
  /** What follows the name, one line per form. */
  readonly usage: readonly string[];
  readonly examples: readonly Example[];
  readonly about: string;
  readonly operands: Operands;
  readonly options: T;
  /** The request; throws a usage failure if the arguments do not fit together. */
  readonly request: (values: ValuesOf<T>, operands: readonly string[], io: Io, afterDashes: AfterDashes) => R;
}

/** What the work of a command is asked for. */
export type RequestOf<L> = L extends { readonly request: (...given: never[]) => infer R } ? R : never;

/** Those of the operands that came after `--`; undefined without it. */
export type AfterDashes = readonly string[] | undefined;

export type Example = readonly [line: string, remark?: string];

const HELP = { help: flag({ short: 'h', help: 'show this help' }) };

/** Only infers the types: those of the values from the table of options, that of the request from `request`. */
export function commandLine<T extends AnyTable, R>(line: CommandLine<T, R>): CommandLine<T, R> {
  return line;
}

export function defineCommand<T extends AnyTable, R>(
  line: CommandLine<T, R>,
  work: (request: R, io: Io, call: Call) => Promise<number>,
): Command {
  const table: OptionTable<object> = { ...line.options, ...HELP };
  const { name, operands, usage, examples, about } = line;
  return {
    name,
    operands,
    manual: { usage, examples, about },
    flags: entriesOf(table).map(([key, option]) => ({
      names: option.short === undefined ? [flagOf(key)] : [`-${option.short}`, flagOf(key)],
      takesValue: option.placeholder !== undefined,
      repeats: option.repeats === true,
      placeholder: option.placeholder ?? '',
      help: option.help,
      choices: option.choices ?? [],
      completes: option.completes,
    })),
    run: async (argv, io, call) => {
      let request: R;
      try {
        const { given, operands, afterDashes } = sortWords(argv, table);
        if (given.has('help')) {
          io.stdout.write(helpText(line, table, call.programName));
          return EXIT.done;
        }
        request = line.request(readValues(given, line.options), operands, io, afterDashes);
      } catch (error) {
        return usageFailure(error, io, `${call.programName} ${name} --help`);
      }
      try {
        return await work(request, io, call);
      } catch (error) {
        return reportFailure(error, io);
      }
    },
  };
}

/** Points to the help, unless the message already suggests a correction. */
function usageFailure(error: unknown, io: Io, help: string): number {
  if (!(error instanceof Failure) || error.code !== 'usage') throw error;
  const problem = oneLine(error.message);
  return fail(io, EXIT.usage, problem.endsWith('?') ? problem : `${problem}; see ${help}`);
}

/**
 * Sorts the arguments of a command line by the command's option table.
 *
 *     heap.pb.gz --top 5 -o json --fail-on=leak      { top: ['5'], output: ['json'], failOn: ['leak'] }, ['heap.pb.gz']
 *
 * `--top -5` gives --top the value -5, which the option checks; `--` ends the options.
 */
interface SortedWords {
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
function sortWords(argv: readonly string[], table: OptionTable<object>): SortedWords {
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
function readValues<T extends AnyTable>(given: SortedWords['given'], table: T): ValuesOf<T> {
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
  return values as ValuesOf<T>;
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
