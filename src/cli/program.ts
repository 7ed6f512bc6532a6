/** What is left when the first argument names no command: help, global flags, and mistakes. */
import { Command, CommanderError } from 'commander';
import { COMMANDS, findCommand } from './command-table.ts';
import { EXIT } from '../base/exit-codes.ts';
import { fail } from './terminal/report-failure.ts';
import type { Io } from './terminal/io.ts';

export async function runProgram(argv: readonly string[], io: Io, programName: string): Promise<number> {
  if (argv[0] === 'help' && argv.length > 1) {
    const command = findCommand(argv[1]);
    if (command !== undefined) return (await command.load())(['--help'], io, programName);
    argv = argv.slice(1);
  }
  const program = new Command(programName)
    .description('Finds, proves and stops leaks in Go control planes, without a Go toolchain.')
    .usage('COMMAND [arguments]')
    // The launcher answers --version; here it is only for the help and for those who import this.
    .option('-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: () => {},
      // The same text in a pipe as on a terminal.
      getOutHelpWidth: () => 100,
      getOutHasColors: () => false,
    })
    .addHelpText('before', examples(programName));
  for (const command of COMMANDS) {
    program.command(command.name).usage(command.usage).description(command.summary).helpOption(false);
  }
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  if (argv[0] === '--version' || argv[0] === '-V') {
    return (await findCommand('version')!.load())([], io);
  }
  try {
    program.parse(argv as string[], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.done;
    return fail(io, EXIT.usage, describe(error, programName));
  }
  return EXIT.done;
}

function describe(error: CommanderError, programName: string): string {
  const [problem, suggestion] = error.message.replace(/^error: /, '').split('\n');
  if (suggestion === undefined) return `${problem}; see ${programName} --help`;
  return `${problem}; did you mean ${suggestion.replace(/^\(Did you mean |\)$/g, '')}`;
}

function examples(programName: string): string {
  return `Examples:
  ${programName} triage node/worker-17        leak or not, which code, is it known, what is safe; the evidence saved
  ${programName} analyze ./worker-17/         the same from any pile of profiles, dumps, metrics and logs
  ${programName} watch --demo                 a recorded cluster that leaks, in the browser
`;
}
