// npm start: shows the engine at work on two captures of a real Go program that leaks, and what to type next.
// npm start -- ARGS...: runs oakum with ARGS.
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, runNode } from './setup.mjs';

const CAPTURES = 'test/fixtures/captures/leakdemo/go1.27/t3';

ensureInstalled();
if (!(await ensureBuilt())) process.exit(1);

const args = process.argv.slice(2);
process.exitCode = args.length > 0 ? runNode(['bin/oakum.js', ...args], { cwd: process.env.INIT_CWD }) : demonstrate();

function demonstrate() {
  say(`Oakum reads Go profiles and goroutine dumps without Go, and says what leaks.
Captures of a small Go program that leaks on purpose lie in ${CAPTURES}.`);
  const status =
    show('What leaks:', 'analyze', '--top', '2', CAPTURES.replace('/t3', '')) ||
    show('Where the live heap was allocated:', 'pprof', '-top', '-nodecount=8', `${CAPTURES}/heap.debug0.pb.gz`) ||
    show('Where its goroutines wait:', 'pprof', '-top', '-nodecount=8', `${CAPTURES}/goroutine.debug2.txt`);
  if (status !== 0) return status;
  say(`Try it on your own files:
  node bin/oakum.js analyze FILE...
  node bin/oakum.js pprof -top FILE
  node bin/oakum.js pprof -top -diff_base OLD NEW
  node bin/oakum.js --help
To have it as \`oakum\` and \`kubectl oakum\`: npm link`);
  return 0;
}

function show(title, ...args) {
  say(`${title}\n$ oakum ${args.join(' ')}`, '');
  return runNode(['bin/oakum.js', ...args]);
}

function say(text, end = '\n') {
  process.stdout.write(`\n${text}\n${end}`);
}
