// npm start: plays a recorded cluster that leaks, with the real engine and web UI, and prints where to look.
// npm start -- ARGS...: runs oakum with ARGS.
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, runNode } from './setup.mjs';

ensureInstalled();
if (!(await ensureBuilt())) process.exit(1);

const args = process.argv.slice(2);
process.exitCode = runNode(['bin/oakum.js', ...(args.length > 0 ? args : ['watch', '--demo'])], {
  cwd: process.env.INIT_CWD,
});
