/** The process if Oakum is one executable (`npm run sea`); otherwise main.ts is. */
import { processIo } from './process-io.ts';
import { packageVersion } from './package-files.ts';
import { programNameOf, run } from './run.ts';
import { reportFailure } from './io.ts';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`oakum ${packageVersion()}\n`);
    return;
  }
  const io = processIo();
  process.on('uncaughtException', error => {
    process.exit(reportFailure(error, io));
  });
  process.exitCode = await run(args, io, programNameOf(process.argv0));
  await io.flush();
}

void main();
