/** One call of the command line: arguments in, exit code out. */
import { COMMANDS, findCommand } from './command-table.ts';
import type { Call } from './options/command.ts';
import { type Io, reportFailure } from './io.ts';

export async function run(argv: readonly string[], io: Io, programName = 'oakum'): Promise<number> {
  const call: Call = { programName, commands: Object.values(COMMANDS) };
  try {
    const load = findCommand(argv[0]);
    if (load !== undefined) return await (await load()).run(argv.slice(1), io, call);
    const { runWithoutCommand } = await import('./run-without-command.ts');
    return await runWithoutCommand(argv, io, call);
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** kubectl finds plugins by file name; its users know this command as `kubectl oakum`. */
export function programNameOf(executable: string): string {
  const name = executable.slice(Math.max(executable.lastIndexOf('/'), executable.lastIndexOf('\\')) + 1);
  return name.startsWith('kubectl-') ? 'kubectl oakum' : 'oakum';
}
