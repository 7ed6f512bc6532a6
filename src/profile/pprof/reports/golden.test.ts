/**
 * Compares reports with the output of `go tool pprof` for our own captures.
 *
 * test/fixtures/golden/CAPTURE/FLAGS.txt is the output of `TZ=UTC go tool pprof -symbolize=none FLAGS CAPTURE`, with Go
 * 1.26. UPDATE_GOLDEN=1 writes them again, and needs that Go.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { memoryIo } from '../../../../test/double/memory-io.ts';
import { run } from '../../../cli/run.ts';

process.env['TZ'] = 'UTC';
const FIXTURES = fileURLToPath(new URL('../../../../test/fixtures/', import.meta.url));
const CAPTURES = join(FIXTURES, 'captures/leakdemo');
const update = process.env['UPDATE_GOLDEN'] === '1';

/** For every capture. */
const COMMON = ['-top', '-top -cum', '-tree -nodecount=12', '-dot -nodecount=15', '-tags', '-comments'];

const CASES: Readonly<Record<string, readonly string[]>> = {
  'go1.27/t3/heap.debug0.pb.gz': [
    ...COMMON,
    '-top -alloc_space',
    '-top -inuse_objects -lines -nodecount=20',
    '-top -filefunctions -nodecount=20', // -files has ties that pprof itself orders by chance
    '-top -addresses -nodecount=20',
    '-top -noinlines -nodecount=20',
    '-top -unit=MB',
    '-top -divide_by=3 -nodecount=10',
    '-top -focus=main\\. -ignore=http -relative_percentages',
    '-top -hide=^runtime\\. -show_from=main\\.',
    '-top -mean -sample_index=inuse_space -nodecount=10',
    '-top -tagfocus=1kb:64kb -nodecount=20',
    '-top -diff_base=BASE -nodecount=20',
    '-top -base=BASE -normalize -nodecount=20',
    '-peek=main\\.main$',
    '-traces -focus=main\\.leak',
    '-callgrind -focus=main\\.leak',
    '-tree -prune_from=main\\. -nodecount=10',
    '-list=zzz',
  ],
  'go1.27/t3/goroutine.debug0.pb.gz': [
    ...COMMON,
    '-traces',
    '-top -tagfocus=logicalcluster=lc1$',
    '-top -tagroot=logicalcluster,controller -nodecount=20',
    '-traces -tagleaf=controller -taghide=. -focus=pop',
    '-tags -tagshow=controller',
    '-dot -call_tree -nodecount=10',
    '-top -diff_base=BASE',
  ],
  'go1.26/t3/mutex.debug0.pb.gz': [...COMMON, '-top -contentions', '-top -mean_delay', '-traces'],
  'go1.26/t3/block.debug0.pb.gz': [...COMMON, '-raw'],
  'go1.19/t3/goroutine.debug0.pb.gz': ['-top', '-raw'],
  'go1.27/t3/threadcreate.debug0.pb.gz': ['-top', '-traces', '-raw'],
  'go1.27/t3/goroutineleak.debug0.pb.gz': ['-top -lines', '-traces', '-raw'],
};

function argvOf(capture: string, flags: string): string[] {
  const base = capture.replace('/t3/', '/t0/');
  return ['-symbolize=none', ...flags.replace('BASE', base).split(' '), capture];
}

describe('golden reports', () => {
  for (const [capture, list] of Object.entries(CASES)) {
    for (const flags of list) {
      it(`${flags} ${capture}`, async () => {
        const name = flags.replaceAll(' ', '_').replaceAll('\\', '').replaceAll('/', '');
        const file = join(FIXTURES, 'golden', capture.replace('.debug0.pb.gz', ''), `${name}.txt`);
        if (update) {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, peer(argvOf(capture, flags)));
        }
        assert.ok(existsSync(file), 'no golden file: UPDATE_GOLDEN=1 makes it');
        const io = memoryIo({ cwd: CAPTURES });
        await run(['pprof', ...argvOf(capture, flags)], io);
        assert.equal(io.out() + io.err(), readFileSync(file, 'utf8'));
      });
    }
  }
});

/** The output of Go: data, then messages. */
function peer(argv: readonly string[]): string {
  const options = { cwd: CAPTURES, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } } as const;
  const script = 'go tool pprof "$@" 2>"$ERR"; cat "$ERR"; rm "$ERR"';
  const env = { ...options.env, ERR: `/tmp/oakum-golden-${process.pid}` };
  return execFileSync('sh', ['-c', script, 'sh', ...argv], { ...options, env });
}
