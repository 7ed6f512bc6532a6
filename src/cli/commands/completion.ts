import { packageVersion } from '../terminal/package-files.ts';
import { defineCommand, type Command } from '../options/command.ts';
import { EXIT, Failure } from '../../base/errors.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'man'] as const;

export const command: Command = defineCommand({
  name: 'completion',
  summary: 'print a completion script for a shell, or the man page',
  usage: [SHELLS.join('|')],
  examples: [
    ['source <(oakum completion bash)', 'in ~/.bashrc'],
    ['source <(oakum completion zsh)', 'in ~/.zshrc, after compinit'],
    ['oakum completion fish | source', 'in ~/.config/fish/config.fish'],
    ['oakum completion man > ~/.local/share/man/man1/oakum.1', 'then: man oakum'],
  ],
  about:
    'Prints a script that completes commands, options and their values; or everything that --help says as a man page.',
  operands: { subcommands: SHELLS },
  options: {},
  request: (_, operands) => {
    const shell = SHELLS.find(known => known === operands[0]);
    if (shell === undefined || operands.length > 1)
      throw new Failure('usage', 'completion takes one shell: bash, zsh or fish; or man');
    return shell;
  },
  run: async (shell, io, call) => {
    if (shell === 'man') {
      const [{ manPage }, commands] = await Promise.all([
        import('../options/man-page.ts'),
        Promise.all(call.commands.map(load => load())),
      ]);
      io.stdout.write(manPage(commands, packageVersion()));
      return EXIT.done;
    }
    const [{ completionScript }, commands] = await Promise.all([
      import('../options/completion-script.ts'),
      Promise.all(call.commands.map(load => load())),
    ]);
    io.stdout.write(completionScript(shell, commands));
    return EXIT.done;
  },
});
