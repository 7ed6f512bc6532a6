import type { Command, Operands, TypedFlag } from '../options/command.ts';

/** One `complete` per command and option: `complete -c oakum -n '...from analyze' -s o -l output -x -a 'text json'`. */
export function fishScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = [
    'complete -c oakum -f',
    ...commands.map(
      ({ name, summary }) => `complete -c oakum -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    `complete -c oakum -n __fish_use_subcommand -a help -d 'show the help of a command'`,
    `complete -c oakum -n __fish_use_subcommand -l help -d 'show the help'`,
    `complete -c oakum -n __fish_use_subcommand -l version -d 'print the version'`,
    `complete -c oakum -n '__fish_seen_subcommand_from help' -a ${quoted(names)}`,
    ...commands.flatMap(commandLines),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines({ name, flags, operands }: Command): string[] {
  const after = `complete -c oakum -n '__fish_seen_subcommand_from ${name}'`;
  return [...flags.map(flag => `${after} ${flagArguments(flag)}`), ...operandLines(name, operands, after)];
}

function flagArguments({ names, help, takesValue, choices, completes }: TypedFlag): string {
  const typed = names.map(name => {
    if (name.startsWith('--')) return `-l ${name.slice(2)}`;
    return name.length === 2 ? `-s ${name.slice(1)}` : `-o ${name.slice(1)}`;
  });
  const description = help === '' ? '' : ` -d ${quoted(help)}`;
  return `${typed.join(' ')}${takesValue ? ` ${valueArguments(choices, completes)}` : ''}${description}`;
}

function valueArguments(choices: readonly string[], completes: 'files' | 'folders' | undefined): string {
  if (choices.length > 0) return `-x -a ${quoted(choices.join(' '))}`;
  if (completes === 'files') return '-r -F';
  return completes === 'folders' ? `-x -a '(__fish_complete_directories)'` : '-x';
}

function operandLines(name: string, { subcommands = [], words = [], completes }: Operands, after: string): string[] {
  const verbs = subcommands.join(' ');
  return [
    ...(verbs === ''
      ? []
      : [
          `complete -c oakum -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${verbs}' -a ${quoted(verbs)}`,
        ]),
    ...(words.length === 0 ? [] : [`${after} -a ${quoted(words.join(' '))}`]),
    ...(completes === undefined ? [] : [`${after} -F`]),
  ];
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
