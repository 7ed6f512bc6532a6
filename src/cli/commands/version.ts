/** `oakum version`: ours and that of the runtime, which a bug report needs. `--version` is answered by the launcher. */
import { EXIT } from '../../base/exit-codes.ts';
import { fail } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-version.ts';

export async function runVersion(argv: string[], io: Io): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout.write('Usage: oakum version\n\nPrints the version of oakum and of the Node.js it runs on.\n');
    return EXIT.done;
  }
  if (argv.length > 0) return fail(io, EXIT.usage, `version takes no arguments, got ${JSON.stringify(argv[0])}`);
  io.stdout.write(`oakum ${packageVersion()} (node ${process.version}, ${process.platform}/${process.arch})\n`);
  return EXIT.done;
}
