/**
 * Handles a first argument that is not a command: help, the version, mistakes, and what has one obvious meaning.
 *
 *     oakum heap.pb.gz notes.txt      analyze, of files and folders that exist
 *     oakum -    pbpaste | oakum      analyze, of what is piped in
 *     oakum node/worker-17            triage, of a target
 *     oakum http://localhost:6060     likewise
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { COMMANDS, findCommand, GROUPS } from './command-table.ts';
import type { Call } from './options/command.ts';
import { twoColumns } from './options/help-text.ts';
import { type Io, fail } from './io.ts';
import { assert, EXIT } from '../base/errors.ts';
import { parseTargetRef } from '../evidence/target.ts';
import { nearest, shown } from './options/option.ts';

export async function runWithoutCommand(argv: readonly string[], io: Io, call: Call): Promise<number> {
  const [first, second] = argv;
  if (first === '--version' || first === '-V') return (await import('./commands/version.ts')).command.run([], io, call);
  const name = first === 'help' ? second : first;
  if (first === undefined && io.isPiped === true) return runNamed('analyze', ['-'], io, call);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.stdout.write(programHelp(call));
    return EXIT.done;
  }
  const load = findCommand(name);
  if (load !== undefined) return (await load()).run(['--help'], io, call);
  const meant = first === 'help' ? undefined : meaningOf(name, io);
  if (meant !== undefined) return runNamed(meant, argv, io, call);
  return fail(io, EXIT.usage, mistake(name, call.programName));
}

async function runNamed(name: 'analyze' | 'triage', argv: readonly string[], io: Io, call: Call): Promise<number> {
  const load = findCommand(name);
  assert(load !== undefined, `no command ${name}`);
  return (await load()).run(argv, io, call);
}

/** The command for an operand. */
function meaningOf(word: string, io: Io): 'analyze' | 'triage' | undefined {
  if (word === '-' || existsSync(resolve(io.cwd, word))) return 'analyze';
  return /[/:]|^apiserver$/.test(word) && typeof parseTargetRef(word) !== 'string' ? 'triage' : undefined;
}

function mistake(word: string, programName: string): string {
  if (word.startsWith('-')) return `unknown option ${shown(word)}; see ${programName} --help`;
  if (/[/\\]|\.\w+$/.test(word)) return `${shown(word)}: no such file, and no target; see ${programName} --help`;
  const meant = nearest(word, Object.keys(COMMANDS));
  const next = meant === undefined ? `see ${programName} --help` : `did you mean ${meant}?`;
  return `unknown command ${shown(word)}; ${next}`;
}

function programHelp({ programName }: Call): string {
  const groups = Object.entries(GROUPS).flatMap(([title, commands]): readonly (readonly [string, string])[] => [
    [`${title.charAt(0).toUpperCase()}${title.slice(1)}:`, ''],
    ...Object.entries(commands).map(([name, { summary }]) => [`  ${name}`, summary] as const),
  ]);
  return `Examples:
  ${programName} triage node/worker-17        leak or not, which code, is it known, what is safe; the evidence saved
  ${programName} analyze ./worker-17/         the same from any pile of profiles, dumps, metrics and logs
  ${programName} watch --demo                 a recorded cluster that leaks, in the browser

Usage: ${programName} COMMAND [arguments]
       ${programName} FILE...        analyze; - is what is piped in
       ${programName} TARGET         triage: node/NAME, pod/NAMESPACE/NAME, http://HOST:PORT ...

Finds, proves and stops leaks in Go control planes, without a Go toolchain.

Options:
  -V, --version   print the version
  -h, --help      show this help

${twoColumns([...groups, ['  help [command]', 'show the help of a command']])}
`;
}
