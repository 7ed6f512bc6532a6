/** `oakum completion`: what the option tables say, as a script for a shell or as the man page. */
import { packageVersion } from '../package-files.ts';
import { defineCommand, type Command, commandLine, type RequestOf, type Call } from '../options/command.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import type { Io } from '../io.ts';
import { manPage } from '../options/man-page.ts';
import { completionScript } from '../options/completion-script.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'man'] as const;

const line = commandLine({
  name: 'completion',
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
});

export const command: Command = defineCommand(line, complete);

async function complete(shell: RequestOf<typeof line>, io: Io, call: Call): Promise<number> {
  const commands = await Promise.all(call.commands.map(async ({ summary, load }) => ({ ...(await load()), summary })));
  io.stdout.write(shell === 'man' ? manPage(commands, packageVersion()) : completionScript(shell, commands));
  return EXIT.done;
}
