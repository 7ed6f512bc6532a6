/** `oakum completion SHELL`: a script that completes commands, the flags of `oakum pprof`, and files. */
import { FLAGS, UNSUPPORTED_REPORTS } from '../../pprof/driver/flags.ts';
import { COMMANDS } from '../command-table.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';

/** What `oakum pprof` can do; the reports it knows only to refuse them are left out. */
const PPROF_FLAGS: readonly string[] = Object.keys(FLAGS)
  .filter(name => !UNSUPPORTED_REPORTS.includes(name))
  .sort()
  .map(name => `-${name}`);

const SCRIPTS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export async function runCompletion(argv: string[], io: Io): Promise<number> {
  const [shell] = argv;
  if (shell === '--help' || shell === '-h') {
    io.stdout.write(`Usage: oakum completion bash|zsh|fish

Prints a completion script. To use it in this shell:
  bash  source <(oakum completion bash)
  zsh   source <(oakum completion zsh)
  fish  oakum completion fish | source
`);
    return EXIT.done;
  }
  const script = shell !== undefined && Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined || argv.length !== 1) {
    return fail(io, EXIT.usage, 'completion takes one shell: bash, zsh or fish');
  }
  io.stdout.write(script());
  return EXIT.done;
}

function commandNames(): string {
  return [...COMMANDS.map(command => command.name), 'help'].join(' ');
}

function bash(): string {
  return `_oakum() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    words="${commandNames()} --help --version"
  elif [[ $COMP_CWORD -eq 2 && "\${COMP_WORDS[1]}" == completion ]]; then
    words="bash zsh fish"
  elif [[ "\${COMP_WORDS[1]}" == pprof && "$current" == -* ]]; then
    words="${PPROF_FLAGS.join(' ')}"
  fi
  [[ -n "$words" ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _oakum oakum
`;
}

function zsh(): string {
  const commands = COMMANDS.map(command => `    '${command.name}:${command.summary}'`).join('\n');
  return `#compdef oakum
_oakum() {
  local -a commands flags
  commands=(
${commands}
    'help:show the help of a command'
  )
  flags=(${PPROF_FLAGS.join(' ')})
  if (( CURRENT == 2 )); then
    _describe command commands
  elif [[ $words[2] == completion ]]; then
    compadd bash zsh fish
  elif [[ $words[2] == pprof && $PREFIX == -* ]]; then
    compadd -- $flags
  else
    _files
  fi
}
if [[ $funcstack[1] == _oakum ]]; then _oakum "$@"; else compdef _oakum oakum; fi
`;
}

function fish(): string {
  const lines = COMMANDS.map(
    command => `complete -c oakum -n __fish_use_subcommand -f -a ${command.name} -d '${command.summary}'`,
  );
  lines.push(`complete -c oakum -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'`);
  for (const flag of PPROF_FLAGS) {
    lines.push(`complete -c oakum -n '__fish_seen_subcommand_from pprof' -o ${flag.slice(1)}`);
  }
  return `${lines.join('\n')}\n`;
}
