import type { Command, Operands, TypedFlag } from '../options/command.ts';

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
export function bashScript(commands: readonly Command[]): string {
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
${commands.map(commandCase).join('\n')}
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

function commandCase({ name, flags, operands }: Command): string {
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
