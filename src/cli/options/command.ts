/** A command as the command line knows it: from its arguments to its work. */
import { EXIT } from '../../base/exit-codes.ts';
import { Failure } from '../../base/failure.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { Io } from '../terminal/io.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import { helpText } from './help-text.ts';
import { flag } from './kinds.ts';
import { entriesOf, flagOf, type Completes, type OptionTable } from './option.ts';
import { readValues, sortWords } from './parse-arguments.ts';

export interface Command {
  readonly name: string;
  /** One line for the help of `oakum`. */
  readonly summary: string;
  readonly flags: readonly TypedFlag[];
  readonly operands: Operands;
  /** Undefined if its help is a text of its own. */
  readonly manual?: Pick<CommandParts<object, unknown>, 'usage' | 'examples' | 'about'>;
  readonly run: (argv: readonly string[], io: Io, call: Call) => Promise<number>;
}

/** How the program was called. */
export interface Call {
  /** `oakum`, or `kubectl oakum`. */
  readonly programName: string;
  /** Every command, in the order of the help. */
  readonly commands: readonly (() => Promise<Command>)[];
}

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

export interface CommandParts<V extends object, R> {
  readonly name: string;
  readonly summary: string;
  /** What follows the name, one line per form. */
  readonly usage: readonly string[];
  readonly examples: readonly Example[];
  readonly about: string;
  readonly operands: Operands;
  readonly options: OptionTable<V>;
  /** The request; throws a usage failure if the arguments do not fit together. */
  readonly request: (values: V, operands: readonly string[], io: Io, afterDashes: AfterDashes) => R;
  readonly run: (request: R, io: Io, call: Call) => Promise<number>;
}

/** Those of the operands that came after `--`; undefined without it. */
export type AfterDashes = readonly string[] | undefined;

export type Example = readonly [line: string, remark?: string];

const HELP = { help: flag({ short: 'h', help: 'show this help' }) };

export function defineCommand<V extends object, R>(parts: CommandParts<V, R>): Command {
  const table: OptionTable<object> = { ...parts.options, ...HELP };
  return {
    name: parts.name,
    summary: parts.summary,
    operands: parts.operands,
    manual: { usage: parts.usage, examples: parts.examples, about: parts.about },
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
          io.stdout.write(helpText(parts, table, call.programName));
          return EXIT.done;
        }
        request = parts.request(readValues(given, parts.options), operands, io, afterDashes);
      } catch (error) {
        return usageFailure(error, io, `${call.programName} ${parts.name} --help`);
      }
      try {
        return await parts.run(request, io, call);
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
