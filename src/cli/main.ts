/** The process: `bin/oakum.js` imports the bundle of this file, which runs at once. */
import { processIo } from './process-io.ts';
import { programNameOf, run } from './run.ts';
import { reportFailure } from './io.ts';

const io = processIo();
process.on('uncaughtException', error => {
  process.exit(reportFailure(error, io));
});
process.exitCode = await run(process.argv.slice(2), io, programNameOf(process.argv[1] ?? ''));
await io.flush();
