import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Analysis } from '../../judge/analysis.ts';
import type { Triage } from '../../live/triage/triage.ts';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { answerWith, hang, slowDrip } from '../../../test/double/faults.ts';
import { type MemoryIo, memoryIo } from '../../../test/double/memory-io.ts';
import { OAKUM } from '../../../test/places.ts';
import { run } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-triage-'));
let cluster: ClusterDouble;

// Each test begins at the start of the recording.
beforeEach(async () => {
  await cluster?.close();
  cluster = await startCluster();
});
after(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly io: MemoryIo;
}

async function triage(...args: string[]): Promise<Ran> {
  const io = memoryIo({ cwd: folder });
  const code = await run(['triage', ...args], io);
  return { code, io };
}

function asAdmin(): string[] {
  return ['--kubeconfig', cluster.kubeconfig('admin')];
}

describe('oakum triage', () => {
  it('answers from metrics, saves the evidence, and finds the known leak', async () => {
    const { code, io } = await triage('node/worker-17', '--gap', '1s', '--evidence', 'whole', ...asAdmin());
    assert.equal(code, EXIT.done, io.err());
    const out = io.out();
    assert.match(out, /^node\/worker-17 {2}kubelet v1\.36\.0, go1\.26\.\d+, up 6m\d+s, 50 pods\n/);
    assert.match(out, /memory +\d+ MiB resident; the Go runtime holds [\d.]+ MiB live heap, [\d.]+ MiB new or garbage/);
    assert.match(out, /LEAK {2}worker-17 leaks live heap[^]*kubernetes#139823 \(confirmed\)[^]*fixed in 1\.36\.3/);
    assert.match(out, /SAVED +whole: 10 files, .*, 2 sets/);
    assert.match(
      out,
      /SAFE NOW\n {2}- to restart this kubelet[^]*NOT SAFE\n {2}- to restart the kubelets of many nodes/,
    );
    assert.match(out, /NEXT\n {2}oakum report whole --for incident[^]*oakum bundle whole -o whole\.tar\.gz/);
    assert.ok(readdirSync(join(folder, 'whole')).includes('MANIFEST.json'));
    const scrapes = cluster.requests.filter(request => request.includes('/proxy/metrics '));
    assert.equal(scrapes.length, 2, 'the first answer is the first scrape of the capture');
  });

  it('prints the same as one document, with the early answer on stderr', async () => {
    const { code, io } = await triage(
      ...['node/worker-17', '--gap', '1s', '--sets', '3', '--evidence', 'json', '-o', 'json', '--fail-on', 'watch'],
      ...asAdmin(),
    );
    assert.equal(code, EXIT.leakFound, io.err());
    assert.match(io.err(), /^node\/worker-17 {2}kubelet v1\.36\.0/);
    const found = JSON.parse(io.out()) as Triage;
    assert.equal(found.schema, 'oakum.triage/v1');
    assert.deepEqual([found.target, found.evidence?.setCount, found.history], ['node/worker-17', 3, null]);
    assert.equal(found.analysis?.findings[0]?.matches[0]?.grade, 'confirmed');
    const { io: markdown } = await triage('node/worker-17', '--metrics-only', '-o', 'markdown', ...asAdmin());
    assert.match(markdown.out(), /^## `node\/worker-17`: unknown\n[^]*- \*\*memory\*\*: [^]*### Not proved/);
  });

  it('takes and saves nothing with --metrics-only, and says what that cannot prove', async () => {
    const { code, io } = await triage('node/worker-17', '--metrics-only', ...asAdmin());
    assert.equal(code, EXIT.done, io.err());
    assert.match(io.out(), /UNKNOWN {2}node\/worker-17: one scrape shows what is there/);
    assert.match(io.out(), /NOT PROVED\n {2}- which code it is: no profile was taken/);
    assert.ok(cluster.requests.every(request => !request.includes('pprof')));
    assert.deepEqual(
      readdirSync(folder).filter(name => name.startsWith('oakum-')),
      [],
    );
  });

  it('works with the right to read metrics only, and says what is missing', async () => {
    const { code, io } = await triage(
      ...['node/worker-17', '--direct', '--gap', '1s', '--sets', '2', '--evidence', 'metrics'],
      ...['--kubeconfig', cluster.kubeconfig('metrics-only'), '--certificate-authority', cluster.caFile],
    );
    assert.equal(code, EXIT.done, io.err());
    assert.match(io.out(), /UNKNOWN {2}worker-17/);
    assert.match(io.out(), /which code it is: .*(?:may not|nodes\/proxy)/);
  });

  it('says why nothing could be observed', async () => {
    for (const [user, why] of [
      ['nobody', /node\/worker-17 could not be observed: .*nodes\/proxy/],
      ['expired', /node\/worker-17 could not be observed: .*token/],
    ] as const) {
      const { code, io } = await triage(
        ...['node/worker-17', '--gap', '1s', '--evidence', user, '--kubeconfig', cluster.kubeconfig(user)],
      );
      assert.equal(code, EXIT.couldNotObserve);
      assert.match(io.err().replace(/\s+/g, ' '), why);
      assert.ok(!existsSync(join(folder, user)));
    }
  });

  it('says in one line that nobody is there, and nothing about safety', async () => {
    const { code, io } = await triage('http://127.0.0.1:9', '--evidence', 'nobody');
    assert.equal(code, EXIT.couldNotObserve);
    assert.equal(io.out(), '');
    assert.match(io.err(), /^oakum: http:\/\/127\.0\.0\.1:9 refuses the connection: [^\n]*\n$/);
    assert.ok(!existsSync(join(folder, 'nobody')));
    const { io: json } = await triage('http://127.0.0.1:9', '--evidence', 'nobody', '-o', 'json');
    const found = JSON.parse(json.out()) as Triage;
    assert.deepEqual([found.verdict, found.safe, found.unsafe, found.evidence], ['unknown', [], [], null]);
  });

  it('answers as analyze does on the folder that it saved', async () => {
    const { io } = await triage('node/worker-17', '--gap', '1s', '--evidence', 'same', '-o', 'json', ...asAdmin());
    const { analysis, verdict, sentence, reasons } = JSON.parse(io.out()) as Triage;
    const again = memoryIo({ cwd: folder });
    assert.equal(await run(['analyze', 'same', '-o', 'json'], again), EXIT.done, again.err());
    const read = JSON.parse(again.out()) as Analysis;
    assert.deepEqual([read.verdict, read.sentence, read.reasons], [verdict, sentence, reasons]);
    assert.deepEqual(read.findings, analysis?.findings);
    assert.deepEqual(read.ledgers, analysis?.ledgers);
  });

  it('goes on if the metrics take too long', async () => {
    let hung = 0;
    const late = hang();
    cluster.fault('/metrics', (planned, request, response) => {
      if (hung++ === 0) return late(planned, request, response);
      response.writeHead(planned.status, planned.headers);
      response.end(planned.body);
    });
    const { code, io } = await triage('node/worker-17', '--gap', '0', '--evidence', 'late', ...asAdmin());
    assert.equal(code, EXIT.done, io.err());
    assert.match(io.out(), /^node\/worker-17\n {2}metrics +.*no answer within 4\.5 s/);
    assert.match(io.out(), /SAVED +late: 5 files/);
  });

  it('reads the memory limit of the kubelet from its cgroup, and says so', async () => {
    const series = 'container_spec_memory_limit_bytes{id="/system.slice/kubelet.service"}';
    cluster.fault(
      '/metrics/cadvisor',
      answerWith(200, `# TYPE container_spec_memory_limit_bytes gauge\n${series} 2147483648\n`),
    );
    const { io } = await triage('node/worker-17', '--metrics-only', ...asAdmin());
    assert.match(io.out(), /MiB resident; limit 2 GiB \(cgroup\); the Go runtime/);
  });

  it('shows hostile names without obeying them', async () => {
    const text =
      '# TYPE kubernetes_build_info gauge\nkubernetes_build_info{git_version="v1\\u001b[2J\u001b[31m",go_version="x"} 1\ngo_goroutines 5\n';
    cluster.fault('/metrics', answerWith(200, text));
    const { io } = await triage('node/worker-17', '--metrics-only', ...asAdmin());
    assert.ok(!io.out().includes('\u001b'));
    assert.match(io.out(), /\\x1b\[31m/);
  });

  it('explains wrong arguments', async () => {
    const cases: readonly (readonly [string[], RegExp])[] = [
      [[], /no target given/],
      [['node/a', '--sets', '0'], /--sets takes a whole number from 1 to 99, not 0/],
      [['node/a', '--gap', 'soon'], /--gap takes a time such as 5m, or 0, not soon/],
      [['node/a', '-o', 'xml'], /--output takes text, json or markdown, not xml/],
      [['node/a', '--fail-on', 'healthy'], /--fail-on takes leak or watch/],
      [['node/a', '--memory-limit', 'much'], /--memory-limit takes a size such as 512Mi, not much/],
      [['node/a', '--prometheus', 'ftp://x'], /--prometheus takes a URL such as .*, not ftp:\/\/x/],
      [['node/a', '--prometheus', 'http://me:secret@x'], /a password in a URL ends up in files/],
      [['node/a', '--prometheus-match', 'a="b"'], /--prometheus-match needs --prometheus/],
      [
        ['node/a', '--prometheus', 'http://x', '--prometheus-user', 'me'],
        /--prometheus-user needs --prometheus-password-file/,
      ],
    ];
    for (const [args, problem] of cases) {
      const { code, io } = await triage(...args);
      assert.equal(code, EXIT.usage, args.join(' '));
      assert.match(io.err(), problem);
    }
  });
});

describe('a triage with a Prometheus', () => {
  let prometheus: Server;
  const url = (): string => `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;

  before(async () => {
    prometheus = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      response.end(JSON.stringify(answerOf(pathname, searchParams)));
    });
    await new Promise<void>(resolve => prometheus.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    prometheus.closeAllConnections();
    prometheus.close();
  });

  /** Ten days of goroutines that grow by five an hour. */
  function answerOf(path: string, query: URLSearchParams): object {
    const metric = { __name__: 'go_goroutines', job: 'kubelet', instance: '10.0.0.1:10250', node: 'worker-17' };
    const text = query.get('query') ?? '';
    if (path.endsWith('/query')) {
      const result = text.includes('worker-17') ? [{ metric, value: [0, '1'] }] : [];
      return { status: 'success', data: { resultType: 'vector', result } };
    }
    const end = Number(query.get('end'));
    const values: [number, string][] = [];
    for (let at = end - 10 * 86_400; at <= end; at += 300) {
      const hours = (at - end) / 3600 + 240;
      values.push([at, String(Math.round(300 + 5 * hours + 4 * Math.sin(hours)))]);
    }
    const result = text.includes('go_goroutines') ? [{ metric, values }] : [];
    return { status: 'success', data: { resultType: 'matrix', result } };
  }

  it('shows what the history proves before the capture is done, and counts it as evidence', async () => {
    const { code, io } = await triage(
      ...['node/worker-17', '--metrics-only', '--prometheus', url(), '--fail-on', 'leak'],
      ...asAdmin(),
    );
    assert.equal(code, EXIT.leakFound, io.err());
    assert.match(io.out(), /history +http:\/\/127[^]*LEAK goroutines/);
    assert.match(io.out(), /LEAK {2}node\/worker-17 leaks goroutines, by its history\./);
  });

  it('continues without a Prometheus that does not answer', async () => {
    const { code, io } = await triage(
      ...['node/worker-17', '--metrics-only', '--prometheus', 'http://127.0.0.1:9'],
      ...asAdmin(),
    );
    assert.equal(code, EXIT.done, io.err());
    assert.match(io.out(), /since when, and how steadily: .*refuses the connection/);
  });
});

describe('a triage in its own process', () => {
  it('keeps what was taken on Ctrl-C and prints what is known', async () => {
    cluster.fault('/debug/pprof/goroutine?debug=2', slowDrip());
    const credentials = ['--token-file', cluster.tokenFile('admin'), '--certificate-authority', cluster.caFile];
    const args = ['triage', cluster.kubelet, '--evidence', join(folder, 'stopped'), ...credentials];
    const child: ChildProcess = spawn(process.execPath, [OAKUM, ...args]);
    let [out, err] = ['', ''];
    child.stdout?.on('data', chunk => (out += String(chunk)));
    child.stderr?.on('data', chunk => {
      err += String(chunk);
      // A second signal would kill it at once.
      if (!child.killed && err.includes('set 1  heap')) child.kill('SIGINT');
    });
    const code = await new Promise(resolve => child.on('close', resolve));
    assert.equal(code, EXIT.interrupted, err);
    assert.match(err, /stopped; the same command with --evidence .*stopped resumes/);
    assert.match(out, /(?:WATCH|UNKNOWN) {2}[^]*SAVED +.*stopped: 4 files/);
    assert.match(out, /NOT SAFE\n {2}- to restart it before the rest is taken/);
  });
});
