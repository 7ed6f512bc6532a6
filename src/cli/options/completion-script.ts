import type { Command, DescribedCommand, Operands, TypedFlag } from './command.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly DescribedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** A script for the shell that completes every command, its options and their values. */
export function completionScript(shell: Shell, commands: readonly DescribedCommand[]): string {
  return SCRIPTS[shell](commands);
}

/** One `complete` per command and option: `complete -c oakum -n '...from analyze' -s o -l output -x -a 'text json'`. */
function fishScript(commands: readonly DescribedCommand[]): string {
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

/**
 * One call of zsh's `_arguments` per command:
 *
 *     analyze)
 *       _arguments \
 *         '(-o --output)'{-o+,--output=}'[text, wide, ...]:FORMAT:(text wide json)' \
 *         '*:file:_files'
 */
function zshScript(commands: readonly DescribedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`).join('\n');
  return `#compdef oakum
_oakum() {
  local -a commands
  commands=(
${described}
    'help:show the help of a command'
  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then
      compadd -- --help --version
    else
      _describe -t commands command commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
    help) _describe -t commands command commands ;;
  esac
}
if [[ $funcstack[1] == _oakum ]]; then _oakum "$@"; else compdef _oakum oakum; fi
`;
}

function commandCase({ name, flags, operands }: Command): string {
  const specs = [...flags.map(flagSpec), ...operandSpecs(operands)];
  return `    ${name})\n      _arguments \\\n${specs.map(spec => `        ${spec}`).join(' \\\n')}\n      ;;`;
}

function flagSpec({ names, help, takesValue, repeats, placeholder, choices, completes }: TypedFlag): string {
  const value = takesValue ? `:${escaped(placeholder)}:${valueAction(choices, completes)}` : '';
  const rest = `[${escaped(help)}]${value}`;
  const typed = names.map(name => (takesValue ? `${name}${name.length === 2 ? '+' : '='}` : name));
  if (repeats) return typed.map(name => zshQuoted(`*${name}${rest}`)).join(' ');
  if (names.length === 1) return zshQuoted(`${typed[0] ?? ''}${rest}`);
  return `${zshQuoted(`(${names.join(' ')})`)}{${typed.join(',')}}${zshQuoted(rest)}`;
}

function valueAction(choices: readonly string[], completes: 'files' | 'folders' | undefined): string {
  if (choices.length > 0) return `(${choices.join(' ')})`;
  return completes === undefined ? ' ' : filesAction(completes);
}

function operandSpecs({ subcommands = [], words = [], completes }: Operands): string[] {
  const files = completes === undefined ? ' ' : filesAction(completes);
  if (subcommands.length > 0) {
    const choices = `subcommands:subcommand:(${subcommands.join(' ')})`;
    const first = completes === undefined ? '' : ` "files:file:${files}"`;
    return [zshQuoted(`1: : _alternative "${choices}"${first}`), zshQuoted(`*:file:${files}`)];
  }
  if (words.length > 0) return [zshQuoted(`*: : compadd -S '' -- ${words.join(' ')}`)];
  return completes === undefined ? [] : [zshQuoted(`*:file:${files}`)];
}

function filesAction(completes: 'files' | 'folders'): string {
  return completes === 'files' ? '_files' : '_files -/';
}

/** For the texts of `_arguments`, where brackets and colons have a meaning. */
function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * One `case` per command, and in it one branch for each option that takes a value:
 *
 *     analyze)
 *       case "$previous" in
 *         -o|--output) words="text wide json yaml markdown" ;;
 *         --top|--show) ;;
 *         *) if [[ "$current" == -* ]]; then words="-o --output ..."; else files=-f; fi ;;
 *       esac ;;
 */
function bashScript(commands: readonly DescribedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `_oakum() {
  local command="\${COMP_WORDS[1]}" current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local words="" files=""
  COMPREPLY=()
  # --option=value arrives as three words.
  if [[ "$current" == "=" ]]; then
    current=""
  elif [[ "$previous" == "=" ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [[ $COMP_CWORD -eq 1 ]]; then
    words="${names} help --help --version"
  else
    case "$command" in
${commands.map(bashCase).join('\n')}
      help) words="${names}" ;;
    esac
  fi
  [[ -n "$words" ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n "$files" ]]; then
    local IFS=$'\\n'
    COMPREPLY+=($(compgen "$files" -- "$current"))
    compopt -o filenames 2>/dev/null
  fi
  if [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == */ ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _oakum oakum
`;
}

function bashCase({ name, flags, operands }: Command): string {
  const all = flags.flatMap(flag => flag.names).join(' ');
  const valued = flags.filter(({ takesValue }) => takesValue).map(valueCase);
  return `      ${name})
        case "$previous" in
${valued.map(line => `          ${line}\n`).join('')}          *)
            if [[ "$current" == -* ]]; then
              words="${all}"
            else
              ${operandWords(operands)}
            fi
            ;;
        esac
        ;;`;
}

function valueCase({ names, choices, completes }: TypedFlag): string {
  const action =
    choices.length > 0
      ? `words="${choices.join(' ')}" `
      : completes === undefined
        ? ''
        : `files=${actionOf(completes)} `;
  return `${names.join('|')}) ${action};;`;
}

function operandWords({ subcommands = [], words = [], completes }: Operands): string {
  const parts = [
    ...(subcommands.length > 0 ? [`[[ $COMP_CWORD -eq 2 ]] && words="${subcommands.join(' ')}"`] : []),
    ...(words.length > 0 ? [`words="${words.join(' ')}"`] : []),
    ...(completes === undefined ? [] : [`files=${actionOf(completes)}`]),
  ];
  return parts.length === 0 ? ':' : parts.join('; ');
}

function actionOf(completes: 'files' | 'folders'): string {
  return completes === 'files' ? '-f' : '-d';
}
