import type { Command, Operands, TypedFlag } from '../options/command.ts';

/**
 * One call of zsh's `_arguments` per command:
 *
 *     analyze)
 *       _arguments \
 *         '(-o --output)'{-o+,--output=}'[text, wide, ...]:FORMAT:(text wide json)' \
 *         '*:file:_files'
 */
export function zshScript(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n');
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
  if (repeats) return typed.map(name => quoted(`*${name}${rest}`)).join(' ');
  if (names.length === 1) return quoted(`${typed[0] ?? ''}${rest}`);
  return `${quoted(`(${names.join(' ')})`)}{${typed.join(',')}}${quoted(rest)}`;
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
    return [quoted(`1: : _alternative "${choices}"${first}`), quoted(`*:file:${files}`)];
  }
  if (words.length > 0) return [quoted(`*: : compadd -S '' -- ${words.join(' ')}`)];
  return completes === undefined ? [] : [quoted(`*:file:${files}`)];
}

function filesAction(completes: 'files' | 'folders'): string {
  return completes === 'files' ? '_files' : '_files -/';
}

/** For the texts of `_arguments`, where brackets and colons have a meaning. */
function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
