import { EXIT } from '../../base/exit-codes.ts';
import { Failure } from '../../base/failure.ts';
import { defineCommand, type Command } from '../options/command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const command: Command = defineCommand<object, (typeof SHELLS)[number]>({
  name: 'completion',
  summary: 'print a completion script for a shell',
  usage: [SHELLS.join('|')],
  examples: [
    ['source <(oakum completion bash)', 'in ~/.bashrc'],
    ['source <(oakum completion zsh)', 'in ~/.zshrc, after compinit'],
    ['oakum completion fish | source', 'in ~/.config/fish/config.fish'],
  ],
  about: 'Prints a script that completes commands, options and their values.',
  operands: { subcommands: SHELLS },
  options: {},
  request: (_, operands) => {
    const shell = SHELLS.find(known => known === operands[0]);
    if (shell === undefined || operands.length > 1)
      throw new Failure('usage', 'completion takes one shell: bash, zsh or fish');
    return shell;
  },
  run: async (shell, io, call) => {
    const [{ completionScript }, commands] = await Promise.all([
      import('../completion/completion-script.ts'),
      Promise.all(call.commands.map(load => load())),
    ]);
    io.stdout.write(completionScript(shell, commands));
    return EXIT.done;
  },
});
