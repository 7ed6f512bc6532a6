/**
 * Runs a line of a ```sh block, in this process. Our commands run in the sandbox and against a cluster double; those
 * that need more (a Prometheus, a daemon, a server that keeps running) are only parsed. Other programs are known by
 * name.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryIo } from '../double/memory-io.ts';
import { run } from '../../src/cli/run.ts';
import { startCluster } from '../double/cluster-double.ts';
import { ROOT } from './markdown.ts';
import type { Pipeline, ShellCommand } from './shell-line.ts';

const FOREIGN = new Set(
  'kubectl curl journalctl dmesg promtool jq export head grep sh source git tar crictl go date zcat'.split(' '),
);

/** The output of other programs that our commands read: a part of the command line -> a file of the sandbox. */
const PRINTED: readonly (readonly [part: string, file: string])[] = [
  ['journalctl', 'journal.json'],
  ['query_range', 'goroutines.json'],
  ['pprof/goroutine', 'goroutine.pb.gz'],
  ['pprof/heap', 'heap.pb.gz'],
  ['/metrics', 'metrics.prom'],
];

/** Output that differs between runs, and what the docs show instead. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/https:\/\/127\.0\.0\.1:\d+/g, 'https://10.0.0.1:6443'],
  [/oakum-worker-17-\d{8}T\d{4}Z/g, 'oakum-worker-17-20261115T0307Z'],
  [/^.*the clock of node\/worker-17 is .*\n/gm, ''],
  [/redacted-[a-z0-9]{11}/g, 'redacted-fvnbtqkjtgq'],
  // Names are hashed under a random key, so the compressed size varies.
  [/(?<=^wrote .*: )\d+ KiB/gm, '337 KiB'],
  [/\(node v[\d.]+/g, '(node v20.20.2'],
  [/-\d{10}(\.(?:prom|pb|txt)\.gz +1 )/g, '-1794711600$1'],
  [/-\d{10}(\.(?:prom|pb|txt)\.gz +2 )/g, '-1794711900$1'],
  [/\d+\.\ds {2}whole/g, '0.0s  whole'],
];

export interface Outcome {
  readonly treatment: 'ran' | 'parsed' | 'foreign';
  /** What a reader of the docs would see; '' if it did not run. */
  readonly shown: string;
}

/** Throws an Error that says what is wrong with the example. */
export async function runPipeline(pipeline: Pipeline, folder: string): Promise<Outcome> {
  let stdin: string | Uint8Array = '';
  let outcome: Outcome = { treatment: 'foreign', shown: '' };
  for (const command of pipeline) {
    const argv = ownArguments(command.words);
    if (argv === undefined) {
      checkForeign(command.words);
      stdin = printedBy(command.words, folder);
      if (command.words[0] === 'head') outcome = { ...outcome, shown: firstLines(outcome.shown, command.words) };
    } else if (isLeftUnrun(argv)) {
      await checkParses(argv, folder);
      outcome = { treatment: 'parsed', shown: '' };
    } else {
      const printed = await (isLive(argv) ? runOnDouble(argv, folder) : runOwn(argv, command, stdin, folder));
      outcome = { treatment: 'ran', shown: MASKS.reduce((text, [from, to]) => text.replace(from, to), printed) };
    }
  }
  return outcome;
}

/** The arguments of `oakum`, `kubectl oakum` or `node bin/oakum.js`; undefined for other programs. */
function ownArguments(words: readonly string[]): string[] | undefined {
  if (words[0] === 'oakum') return words.slice(1);
  if (words[0] === 'kubectl' && words[1] === 'oakum') return words.slice(2);
  if (words[0] === 'node' && words[1] === 'bin/oakum.js') return words.slice(2);
  return undefined;
}

function checkForeign(words: readonly string[]): void {
  const [program = '', first = '', second = ''] = words;
  if (program === 'npm') {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const script = first === 'run' ? words.slice(1).find(word => word !== 'run' && word !== '-s') : first;
    if (script !== 'link' && scripts[script ?? ''] === undefined) throw new Error(`npm has no script ${script}`);
  } else if (program === 'node') {
    const file = first === '--import' ? words[3] : first;
    if (!existsSync(join(ROOT, file ?? ''))) throw new Error(`no file ${file ?? second}`);
  } else if (!FOREIGN.has(program)) {
    throw new Error(`neither ours nor in the list of known programs: ${program}`);
  }
}

function printedBy(words: readonly string[], folder: string): Uint8Array {
  const line = words.join(' ');
  const [, file] = PRINTED.find(([part]) => line.includes(part)) ?? [];
  return file === undefined ? new Uint8Array() : readFileSync(join(folder, file));
}

function firstLines(text: string, words: readonly string[]): string {
  const count = Number(/-(?:n ?)?(\d+)/.exec(words.join(' '))?.[1] ?? 10);
  return text.split('\n').slice(0, count).join('\n').concat('\n');
}

/** Needs something that neither the sandbox nor the double has. */
function isLeftUnrun(argv: readonly string[]): boolean {
  if (argv[0] === 'pprof' || argv[0] === 'collect-script' || argv.includes('--help')) return false;
  if (argv[0] === 'top' && !argv.includes('--once')) return true;
  // These change a cluster, or ask about one that was changed.
  if (['apply', 'verify'].includes(argv[0] ?? '') || argv[1] === 'abort') return true;
  return (
    argv[0] === 'watch' ||
    argv[0] === 'gate' ||
    argv.some(word => /^https?:|^unix:|^pod\/|^--prometheus|^kubectl /.test(word))
  );
}

const PROBE = '--no-such-option';

/** If the parser complains only about the option we add at the end, it has accepted everything before it. */
async function checkParses(argv: readonly string[], folder: string): Promise<void> {
  const io = memoryIo({ cwd: folder });
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const code = await run([...argv.slice(0, end), PROBE, ...argv.slice(end)], io);
  if (code !== 2 || !io.err().includes(PROBE)) throw new Error(`does not parse: ${io.err().trim()}`);
}

async function runOwn(
  argv: readonly string[],
  { into }: ShellCommand,
  stdin: string | Uint8Array,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const io = memoryIo({ cwd: folder, env: { LANG: 'C.UTF-8', ...env }, stdin });
  const code = await run(adapted(argv), io);
  const isLeakFound = code === 1 && argv.includes('--fail-on');
  if (code !== 0 && !isLeakFound) throw new Error(`exit ${code}: ${io.err().trim()}`);
  if (into !== undefined) writeFileSync(join(folder, into), io.outBytes());
  return into === undefined ? io.out() || io.err() : '';
}

function isLive([name = '']: readonly string[]): boolean {
  return ['doctor', 'triage', 'capture', 'plan'].includes(name);
}

/** Line -> its output: several pages show the same one, and each takes a second or more. */
const ranOnDouble = new Map<string, Promise<string>>();

/** In its own folder: files taken from the double must not appear in the next example. */
function runOnDouble(argv: readonly string[], folder: string): Promise<string> {
  const line = argv.join(' ');
  const ran = ranOnDouble.get(line) ?? inFreshCluster(argv, folder);
  ranOnDouble.set(line, ran);
  return ran;
}

async function inFreshCluster(argv: readonly string[], folder: string): Promise<string> {
  const cluster = await startCluster();
  try {
    // A plan reads evidence that was saved before.
    const own = argv[0] === 'plan' ? folder : mkdtempSync(join(folder, 'live-'));
    return await runOwn(argv, { words: argv }, '', own, { KUBECONFIG: cluster.kubeconfig('admin') });
  } finally {
    await cluster.close();
  }
}

/** Tests do not wait five minutes, start servers that keep running, or contact daemons that do not exist. */
function adapted(argv: readonly string[]): string[] {
  if (argv[0] === 'pprof') {
    const words = argv.map(word => (/^https?:/.test(word) ? `${word.split('/').at(-1)}.pb.gz` : word));
    return words.map(word => (word.startsWith('-http=') ? '-top' : word));
  }
  const takesTwoSets = argv[0] === 'triage' || argv[0] === 'capture';
  if (!takesTwoSets || argv.includes('--dry-run')) return [...argv];
  const gap = argv.indexOf('--gap');
  const rest = gap < 0 ? argv : argv.filter((_, index) => index !== gap && index !== gap + 1);
  return [...rest, '--gap', argv[gap + 1] === '0' ? '0' : '1s'];
}
