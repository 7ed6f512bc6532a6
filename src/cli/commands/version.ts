/** `oakum version`; the launcher answers `--version`. */
import { embeddedFiles } from '../../watch/server/web-files.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { outputFormat } from '../options/shared.ts';
import { packageVersion } from '../package-files.ts';
import { EXIT } from '../../base/errors.ts';
import { renderJson } from '../../report/json.ts';
import { noneOf } from '../options/option.ts';
import type { Io } from '../io.ts';

const line = commandLine({
  name: 'version',
  usage: ['[-o json]'],
  examples: [],
  about:
    'Prints the version of oakum and of the Node.js it runs on, for bug reports. It asks nobody for a newer one, and no other command does.',
  operands: {},
  options: { output: { ...outputFormat(['text', 'json']), help: 'text or json' } },
  request: (values, operands) => {
    noneOf(operands, 'version');
    return values;
  },
});

export const command: Command = defineCommand(line, printVersion);

async function printVersion({ output }: RequestOf<typeof line>, io: Io): Promise<number> {
  const { version: node, platform, arch } = process;
  const version = packageVersion();
  const form = embeddedFiles() === undefined ? 'package' : 'single file';
  io.stdout.write(
    output === 'json'
      ? renderJson({ schema: 'oakum.version/v1', version, node, platform, arch, form })
      : `oakum ${version} (node ${node}, ${platform}/${arch})\n`,
  );
  return EXIT.done;
}
