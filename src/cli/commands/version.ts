/** `oakum version`: ours and that of the runtime, which a bug report needs. `--version` is answered by the launcher. */
import { readFileSync } from 'node:fs';
import { EXIT } from '../exit-codes.ts';
import { fail } from '../failure.ts';
import type { Io } from '../io.ts';

export async function runVersion(argv: string[], io: Io): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout.write('Usage: oakum version\n\nPrints the version of oakum and of the Node.js it runs on.\n');
    return EXIT.done;
  }
  if (argv.length > 0) return fail(io, EXIT.usage, `version takes no arguments, got ${JSON.stringify(argv[0])}`);
  io.stdout.write(`oakum ${packageVersion()} (node ${process.version}, ${process.platform}/${process.arch})\n`);
  return EXIT.done;
}

/** src/cli/commands/ lies one folder deeper than the bundle's dist/cli/. */
function packageVersion(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as {
        name: string;
        version: string;
      };
      if (found.name === 'oakum') return found.version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return 'of an unknown version';
}
