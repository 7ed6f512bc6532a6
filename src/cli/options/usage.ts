/** The way from the command line to the work, one for all commands: help, a line that says what is wrong, or a request. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { oneLine } from '../../base/text-layout.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

interface Arguments<O extends Options> {
  readonly args: string[];
  readonly allowPositionals: true;
  readonly options: O;
}

/** `{ values, positionals }`, as the command line has them. */
export type Given<O extends Options> = ReturnType<typeof parseArgs<Arguments<O>>>;

export interface Usage<O extends Options, R extends object> {
  /** `labels` of `oakum labels`. */
  readonly command: string;
  /** What --help prints. */
  readonly help: string;
  /** Besides --help. */
  readonly options: O;
  /** The request, or what is wrong with the arguments. */
  readonly parse: (given: Given<O>) => R | string;
}

export async function runRequest<O extends Options, R extends object>(
  usage: Usage<O, R>,
  argv: string[],
  io: Io,
  work: (request: R) => Promise<number>,
  programName = 'oakum',
): Promise<number> {
  const wrong = (problem: string): number =>
    fail(io, EXIT.usage, `${oneLine(problem)}; see ${programName} ${usage.command} --help`);
  let given;
  try {
    const options = { ...usage.options, help: { type: 'boolean', short: 'h' } } as const;
    given = parseArgs({ args: withNegatives(argv, options), allowPositionals: true, options });
  } catch (error) {
    return wrong(problemOf(error as Error));
  }
  if ((given.values as { help?: boolean }).help === true) {
    io.stdout.write(helpFor(programName, usage.help));
    return EXIT.done;
  }
  const request = usage.parse(given as Given<O>);
  return typeof request === 'string' ? wrong(request) : work(request);
}

/** Help as it is written, for `oakum`, under the name that the user knows. */
export function helpFor(programName: string, help: string): string {
  return programName === 'oakum' ? help : help.replace(/^(Usage: | +)oakum (?=[a-z])/gm, `$1${programName} `);
}

/** `--top -5` gives --top the value -5, for the command to judge; Node would take it for an option. */
function withNegatives(argv: readonly string[], options: Options): string[] {
  const args: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--') return [...args, ...argv.slice(i)];
    const takesValue = argv[i].startsWith('--') && options[argv[i].slice(2)]?.type === 'string';
    if (takesValue && /^-\d/.test(argv[i + 1] ?? '')) args.push(`${argv[i]}=${argv[++i]}`);
    else args.push(argv[i]);
  }
  return args;
}

/** What parseArgs found wrong, without its paragraph of hints. */
function problemOf({ message }: Error): string {
  const [problem] = message.split('\n');
  const [, option = ''] = /^(?:Unknown option|Option) '(.*?)(?: <value>)?'/.exec(problem) ?? [];
  if (option === '') return problem;
  if (problem.startsWith('Unknown')) return `unknown option ${option}`;
  return `${option} ${problem.includes('does not take') ? 'takes no value' : 'needs a value'}`;
}
