/** The way from the command line to the work, one for all commands: help, a line that says what is wrong, or a request. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { EXIT } from './exit-codes.ts';
import { fail } from './failure.ts';
import type { Io } from './io.ts';

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
): Promise<number> {
  const wrong = (problem: string): number => fail(io, EXIT.usage, `${problem}; see oakum ${usage.command} --help`);
  let given;
  try {
    const options = { ...usage.options, help: { type: 'boolean', short: 'h' } } as const;
    given = parseArgs({ args: argv, allowPositionals: true, options });
  } catch (error) {
    // Node adds a second sentence about arguments that begin with a dash.
    return wrong((error as Error).message.split(/\.? To specify a positional|\n/, 1)[0]);
  }
  if ((given.values as { help?: boolean }).help === true) {
    io.stdout.write(usage.help);
    return EXIT.done;
  }
  const request = usage.parse(given as Given<O>);
  return typeof request === 'string' ? wrong(request) : work(request);
}
