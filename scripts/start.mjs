// npm start: plays a recorded cluster that leaks, with the real engine and web UI, and prints its address.
// npm start -- ARGS...: runs oakum with ARGS.
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, runNode } from './setup.mjs';

ensureInstalled();
if (!(await ensureBuilt())) process.exit(1);

const args = process.argv.slice(2);
const launcher = fileURLToPath(new URL('../bin/oakum.js', import.meta.url));
process.exitCode = runNode([launcher, ...(args.length > 0 ? args : ['watch', '--demo'])], {
  cwd: process.env.INIT_CWD,
});
