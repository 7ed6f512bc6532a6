import { EXIT } from '../../base/exit-codes.ts';
import { defineCommand, type Command } from '../options/command.ts';
import { noneOf } from '../options/operands.ts';
import { packageVersion } from '../terminal/package-version.ts';

/** The launcher answers `--version`. */
export const command: Command = defineCommand<object, undefined>({
  name: 'version',
  summary: 'print the version',
  usage: [''],
  examples: [],
  about: 'Prints the version of oakum and of the Node.js it runs on, for bug reports.',
  operands: {},
  options: {},
  request: (_, operands) => {
    noneOf(operands, 'version');
    return undefined;
  },
  run: async (_, io) => {
    io.stdout.write(`oakum ${packageVersion()} (node ${process.version}, ${process.platform}/${process.arch})\n`);
    return EXIT.done;
  },
});
