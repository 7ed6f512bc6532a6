/** One call of the command line: arguments in, exit code out. */
import { findCommand } from './command-table.ts';
import { reportFailure } from './terminal/report-failure.ts';
import type { Io } from './terminal/io.ts';

export async function run(argv: readonly string[], io: Io, programName = 'oakum'): Promise<number> {
  try {
    const command = findCommand(argv[0]);
    if (command !== undefined) return await (await command.load())(argv.slice(1), io, programName);
    const { runProgram } = await import('./program.ts');
    return await runProgram(argv, io, programName);
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** kubectl finds plugins by file name; its users know this one as `kubectl oakum`. */
export function programNameOf(executable: string): string {
  const name = executable.slice(Math.max(executable.lastIndexOf('/'), executable.lastIndexOf('\\')) + 1);
  return name.startsWith('kubectl-') ? 'kubectl oakum' : 'oakum';
}
