/** For each fault of a target: the message that the user sees, and the files that are kept. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { CaptureManifest } from '../../evidence/capture.ts';
import { type ClusterDouble, type ClusterOptions, startCluster } from '../../../test/double/cluster-double.ts';
import {
  answerWith,
  cutAfter,
  endless,
  type Fault,
  hang,
  recorded,
  reset,
  sized,
  slowDrip,
  withDate,
} from '../../../test/double/faults.ts';
import type { UserName } from '../../../test/double/users.ts';
import { withEnoughTime } from '../../../test/until.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run as runOakum } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-capture-'));
let cluster: ClusterDouble;
let number = 0;

before(async () => {
  cluster = await startCluster();
});
after(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => void number++);

interface Ran {
  readonly code: number;
  readonly err: string;
  readonly out: string;
  readonly manifest: CaptureManifest | undefined;
  /** Kinds of the files in the folder. */
  readonly kept: readonly string[];
}

interface Asking {
  readonly user?: UserName;
  readonly args?: readonly string[];
  readonly at?: ClusterDouble;
  readonly target?: string;
}

async function run({ user = 'admin', args = [], at = cluster, target = 'node/worker-17' }: Asking): Promise<Ran> {
  const io = memoryIo({ cwd: folder });
  const dir = `run-${number}`;
  const argv = [target, '-o', dir, '--gap', '0', '--kubeconfig', at.kubeconfig(user), ...args];
  const code = await runOakum(['capture', ...argv], io);
  return { code, err: io.err(), out: io.out(), ...inFolder(join(folder, dir)) };
}

function inFolder(path: string): Pick<Ran, 'manifest' | 'kept'> {
  let files: string[];
  try {
    files = readdirSync(path);
  } catch {
    return { manifest: undefined, kept: [] };
  }
  const manifest = files.includes('MANIFEST.json')
    ? (JSON.parse(readFileSync(join(path, 'MANIFEST.json'), 'utf8')) as CaptureManifest)
    : undefined;
  assert.deepEqual(
    files.filter(file => /\.tmp$|lock$/.test(file)),
    [],
    'nothing is left behind',
  );
  return {
    manifest,
    kept: files
      .filter(file => file !== 'MANIFEST.json')
      .map(kindOf)
      .sort(),
  };
}

function kindOf(file: string): string {
  return file.replace(/-\d{10}\..*$/, '');
}

const ALL = ['goroutine', 'goroutine-d1', 'goroutine-d2', 'heap', 'metrics'];
const WITHOUT_HEAP = ALL.filter(kind => kind !== 'heap');

interface FaultCase extends Asking {
  readonly name: string;
  readonly path?: string;
  readonly fault?: Fault;
  readonly options?: ClusterOptions;
  readonly requestTimeoutSeconds?: number;
  readonly sentence: RegExp;
  readonly kept: readonly string[];
  readonly code: number;
}

const HEAP = '/debug/pprof/heap';
const FAULTS: readonly FaultCase[] = [
  {
    name: '401 from the API server: an expired token',
    user: 'expired',
    sentence: /nothing could be taken: the API server .* does not accept the credentials.*log in again/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: '403 from the API server, in JSON',
    user: 'metrics-only',
    sentence: /metrics-only may not get nodes\/proxy.*try --direct/s,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: '403 from the kubelet, in text',
    user: 'metrics-only',
    args: ['--direct'],
    sentence: /may not get nodes\/proxy, which \/debug\/pprof\/goroutine needs.*running commands/s,
    kept: ['metrics'],
    code: EXIT.done,
  },
  {
    name: '404: no such node',
    target: 'node/worker-71',
    sentence: /the cluster has no node worker-71; see kubectl get nodes/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: '404: a path that is not served',
    path: HEAP,
    fault: recorded('direct-404-unknown-path'),
    sentence: /does not serve \/debug\/pprof\/heap/,
    kept: ['goroutine', 'goroutine-d1', 'metrics'],
    code: EXIT.done,
  },
  {
    name: '405: debugging handlers are off',
    options: { handlersOff: true },
    sentence: /has its debugging handlers switched off.*enableDebuggingHandlers: true/s,
    kept: ['metrics'],
    code: EXIT.done,
  },
  {
    name: '405: profiling is off',
    path: '/debug/pprof/',
    fault: answerWith(405, 'profiling endpoint is disabled.\n'),
    sentence: /has profiling switched off.*enableProfilingHandler: true/s,
    kept: ['metrics'],
    code: EXIT.done,
  },
  {
    name: '429',
    path: HEAP,
    fault: answerWith(429, '', { 'retry-after': '3' }),
    sentence: /has too many requests\n.*wait 3 s and try again/,
    kept: WITHOUT_HEAP,
    code: EXIT.done,
  },
  {
    name: '500',
    path: HEAP,
    fault: answerWith(500, 'runtime error: index out of range'),
    sentence: /the kubelet of worker-17 failed on \/debug\/pprof\/heap\?gc=1: runtime error/,
    kept: WITHOUT_HEAP,
    code: EXIT.done,
  },
  {
    name: '500: a CPU profile is taken by somebody else',
    path: '/debug/pprof/profile',
    fault: answerWith(500, 'Could not enable CPU profiling: cpu profiling already in use\n', { 'x-go-pprof': '1' }),
    args: ['--cpu', '1'],
    sentence: /somebody else is taking a CPU profile of it/,
    kept: ALL,
    code: EXIT.done,
  },
  {
    name: '502 from a gateway',
    path: '/',
    fault: answerWith(502, '<html><h1>502 Bad Gateway</h1></html>'),
    sentence: /502 from a gateway between here and the kubelet of worker-17.*konnectivity/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: '503: a dead kubelet, as the API server tells it',
    path: '/',
    fault: recorded('proxy-dead-kubelet'),
    sentence: /the kubelet of worker-17 is not running.*systemctl status kubelet/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: '504 from a gateway',
    path: '/',
    fault: answerWith(504, ''),
    sentence: /504 from a gateway/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: 'a hung kubelet',
    path: '/',
    fault: hang(),
    requestTimeoutSeconds: 0.5,
    sentence: /no answer within [\d.]+ s: the API server took the request, but the kubelet.*curl -k --max-time 10/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: 'a kubelet that dies after its metrics',
    path: '/debug/pprof/',
    fault: reset(),
    sentence: /closed the connection without an answer/,
    kept: ['metrics'],
    code: EXIT.done,
  },
  {
    name: 'a profile that is cut in the middle',
    path: HEAP,
    fault: cutAfter(1000),
    sentence: /the connection broke during the answer: 1000 bytes of \/debug\/pprof\/heap/,
    kept: WITHOUT_HEAP,
    code: EXIT.done,
  },
  {
    name: 'metrics that are cut in the middle: the part is kept',
    path: '/metrics',
    fault: cutAfter(150_000),
    sentence: /not whole: the connection broke during the answer: 150000 bytes/,
    kept: ALL,
    code: EXIT.done,
  },
  {
    name: 'a body that drips',
    path: HEAP,
    fault: slowDrip(),
    requestTimeoutSeconds: 0.7,
    sentence: /the answer was too slow: \d+ bytes/,
    kept: WITHOUT_HEAP,
    code: EXIT.done,
  },
  {
    name: 'a body without an end',
    path: HEAP,
    fault: endless(),
    args: ['--max-bytes', '1Mi'],
    sentence: /larger than the cap: only the first 1048576 bytes/,
    kept: WITHOUT_HEAP,
    code: EXIT.done,
  },
  {
    name: 'a page that is no profile',
    path: HEAP,
    fault: answerWith(200, '<!doctype html><title>Welcome</title>'),
    sentence:
      /\/debug\/pprof\/heap\?gc=1 was answered, but it is not a profile, a dump, metrics, kubectl JSON or a log/,
    kept: WITHOUT_HEAP,
    code: EXIT.done,
  },
  {
    name: 'an expired certificate',
    options: { certificate: 'expired' },
    sentence: /nothing could be taken: the certificate of the API server .* has expired/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: 'a certificate of an unknown authority',
    options: { certificate: 'self-signed' },
    sentence: /signed by an authority that is not known here/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: 'a certificate for another name',
    options: { certificate: 'other-name' },
    sentence: /is for another name/,
    kept: [],
    code: EXIT.couldNotObserve,
  },
  {
    name: 'a clock that is an hour ahead',
    options: { clock: 'ours' },
    path: '/',
    fault: (...exchange) => withDate(Date.now() / 1000 + 3600)(...exchange),
    sentence: /note: the clock of node\/worker-17 is 3[56]\d\d s ahead of the one here/,
    kept: ALL,
    code: EXIT.done,
  },
];

describe('capture, when', () => {
  for (const { name, path, fault, options, requestTimeoutSeconds, sentence, kept, code, ...asking } of FAULTS) {
    it(name, async () => {
      const own = options === undefined ? cluster : await startCluster(options);
      if (path !== undefined) own.fault(path, fault);
      const attempt = async (...more: string[]): Promise<void> => {
        number++;
        const ran = await run({ ...asking, args: [...(asking.args ?? []), ...more], at: own });
        assert.match(ran.err + ran.out, sentence);
        assert.deepEqual(ran.kept, kept);
        assert.equal(ran.code, code);
        const told = (ran.manifest?.entries ?? []).filter(({ file }) => file !== undefined).map(entry => entry.kind);
        assert.deepEqual([...told].sort(), kept, 'the manifest tells the same');
      };
      try {
        if (requestTimeoutSeconds === undefined) await attempt();
        else await withEnoughTime(factor => attempt('--request-timeout', `${requestTimeoutSeconds * factor}s`));
      } finally {
        if (path !== undefined) own.fault(path, undefined);
        if (own !== cluster) await own.close();
      }
    });
  }

  it('a list of goroutines has exactly 64 MiB: it is marked as cut', async () => {
    cluster.fault('/debug/pprof/goroutine?debug=2', sized(67_108_864));
    const { manifest, out } = await run({});
    cluster.fault('/debug/pprof/goroutine?debug=2', undefined);
    const entry = manifest?.entries.find(({ kind }) => kind === 'goroutine-d2');
    assert.match(entry?.truncated ?? '', /cut at 64 MiB, where the Go runtime stops/);
    assert.match(out, /goroutine-d2-\d+\.txt\.gz .* cut/);
  });

  it('there are too many goroutines: the list of all is left out unless asked for', async () => {
    const many = (count: number): Fault => answerWith(200, `# TYPE go_goroutines gauge\ngo_goroutines ${count}\n`);
    cluster.fault('/metrics', many(12_000));
    const left = await run({});
    assert.match(left.err, /goroutine-d2 +left out: 12000 goroutines: it would stop the process for seconds; --debug2/);
    number++;
    assert.ok((await run({ args: ['--debug2'] })).kept.includes('goroutine-d2'));
    number++;
    cluster.fault('/metrics', many(80_000));
    assert.match((await run({ args: ['--debug2'] })).err, /80000 goroutines: .*cut at 64 MiB; --force/);
    cluster.fault('/metrics', undefined);
  });
});
