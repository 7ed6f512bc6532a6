import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { DoctorReport } from '../../live/doctor/doctor.ts';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { answerWith, hang, recorded } from '../../../test/double/faults.ts';
import type { UserName } from '../../../test/double/users.ts';
import { withEnoughTime } from '../../../test/until.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run as runOakum } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

let cluster: ClusterDouble;
before(async () => {
  cluster = await startCluster();
});
after(() => cluster.close());

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], user: UserName = 'admin', at = cluster): Promise<Ran> {
  const io = memoryIo();
  const code = await runOakum(['doctor', ...args, '--kubeconfig', at.kubeconfig(user)], io);
  return { code, out: io.out(), err: io.err() };
}

async function examine(args: readonly string[], user: UserName = 'admin', at = cluster): Promise<DoctorReport> {
  return JSON.parse((await run([...args, '-o', 'json'], user, at)).out) as DoctorReport;
}

function answering({ endpoints }: DoctorReport): string[] {
  return endpoints.filter(({ answers }) => answers === 'yes').map(({ path }) => path);
}

describe('oakum doctor', () => {
  it('shows an administrator what answers, what runs there, and that nodes/proxy is dangerous', async () => {
    const { code, out } = await run(['node/worker-17']);
    assert.equal(code, EXIT.done);
    assert.match(out, /^node\/worker-17 {2}v1\.36\.0 go1\.26\.7, up \d+m/);
    assert.match(out, /get nodes\/proxy +yes/);
    assert.match(out, /\/debug\/pprof\/heap +yes/);
    assert.match(out, /\/debug\/pprof\/goroutineleak +no: no-such-profile \(404\)/);
    assert.match(out, /DANGERS[^]*which is not read-only: it allows running commands/);
  });

  it('takes no profile: it probes each by name in a way that costs nothing', async () => {
    const before = cluster.requests.length;
    await run(['node/worker-17']);
    const profiles = cluster.requests.slice(before).filter(request => request.includes('/debug/pprof/'));
    assert.equal(profiles.length, 7);
    assert.ok(
      profiles.every(request => request.includes('?seconds=0 ')),
      profiles.join('\n'),
    );
    assert.ok(!cluster.requests.some(request => request.includes('cmdline')));
  });

  it('checks the rights on subresources, never on a node called proxy', async () => {
    const { rights } = await examine(['node/worker-17'], 'metrics-only');
    assert.deepEqual(
      rights.map(({ right, allowed }) => [right, allowed]),
      [
        ['get nodes/proxy', false],
        ['get nodes/metrics', true],
        ['get nodes/stats', true],
        ['get nodes', true],
        ['list nodes', true],
      ],
    );
  });

  it('points users with nodes/metrics to --direct, where metrics prove growth but not the code', async () => {
    const proxied = await run(['node/worker-17'], 'metrics-only');
    assert.equal(proxied.code, EXIT.couldNotObserve);
    assert.match(proxied.out, /try\s+--direct, where \/metrics needs only\s+nodes\/metrics/);
    assert.match(proxied.out, /\/debug\/pprof\/heap +not asked/, 'one refusal is enough');
    const direct = await examine(['node/worker-17', '--direct'], 'metrics-only');
    assert.deepEqual(answering(direct), ['/metrics', '/metrics/probes']);
    assert.ok(direct.canProve.some(what => what.startsWith('whether memory or goroutines grow')));
    assert.ok(direct.cannotProve.some(({ what }) => what === 'which code holds the memory'));
    assert.deepEqual(direct.dangers, []);
  });

  it('examines the cluster and one node if no target is given', async () => {
    const { nodes, target } = await examine([]);
    assert.equal(target, 'node/worker-17');
    assert.deepEqual([nodes?.total, nodes?.versions], [1, [{ version: 'v1.36.0', nodes: 1 }]]);
    const nobody = await examine([], 'nobody');
    assert.equal(nobody.nodes?.problem?.kind, 'forbidden');
    assert.equal(nobody.target, 'apiserver');
  });

  it('reports handlers that are off, a dead kubelet, and one that hangs', async () => {
    const off = await startCluster({ handlersOff: true });
    assert.match((await run(['node/worker-17'], 'admin', off)).out, /debugging handlers switched off/);
    await off.close();
    cluster.fault('/', recorded('proxy-dead-kubelet'));
    const dead = await run(['node/worker-17']);
    assert.match(dead.out, /\/metrics +no: target-down \(503\)[^]*is not running/);
    cluster.fault('/', undefined);
    cluster.fault('/metrics', hang());
    await withEnoughTime(async seconds => {
      const hung = await run(['node/worker-17', '--request-timeout', `${seconds}s`]);
      assert.match(hung.out, /\/metrics +no: timeout[^]*does not\s+answer it, or[^]*curl -k/);
      assert.equal(hung.code, EXIT.couldNotObserve);
    });
    cluster.fault('/metrics', undefined);
  });

  it('warns about daemons that answer everybody, unless only this machine reaches them', async () => {
    const local = await examine([
      cluster.kubelet,
      '--token-file',
      cluster.tokenFile('admin'),
      '--insecure-skip-tls-verify',
    ]);
    assert.deepEqual(
      local.dangers.map(({ what }) => what.split(':')[0]),
      ['certificates are not verified'],
    );
  });

  it('warns about what everybody may read: anonymous requests, the read-only port', async () => {
    cluster.fault('/metrics', answerWith(200, '# TYPE go_goroutines gauge\ngo_goroutines 7\n'));
    cluster.fault('/healthz', answerWith(200, 'ok'));
    const proxied = await examine(['node/worker-17']);
    const direct = await examine(['node/worker-17', '--direct'], 'metrics-only');
    cluster.fault('/metrics', undefined);
    cluster.fault('/healthz', undefined);
    const dangers = proxied.dangers.map(({ what }) => what).join('\n');
    assert.match(dangers, /^the API server answers this to anonymous requests$/m);
    assert.match(dangers, /^the kubelet serves its read-only port 10255 to anyone/m);
    assert.deepEqual(
      direct.dangers.map(({ what }) => what),
      ['the kubelet answers requests without credentials'],
    );
    assert.ok(proxied.process?.missingSeries.includes('process_start_time_seconds'));
  });

  it('checks whether a Prometheus has the metrics that are needed', async () => {
    const requests: string[] = [];
    const prometheus = await fakePrometheus(requests);
    const url = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}/prom/`;
    const report = await examine(['node/worker-17', '--prometheus', url]);
    prometheus.close();
    assert.deepEqual(report.prometheus?.jobs, ['kubelet']);
    const absent = report.prometheus.series.filter(({ present }) => !present).map(({ name }) => name);
    assert.ok(!absent.includes('go_goroutines') && absent.includes('kubelet_running_pods'));
    assert.equal(report.prometheus.knowsTarget, true);
    assert.ok(report.canProve.includes('what happened before today'));
    assert.ok(requests.every(path => path.startsWith('/prom/api/v1/query?query=')));
    const gone = await examine(['node/worker-17', '--prometheus', url]);
    assert.equal(gone.prometheus?.problem?.kind, 'refused');
  });

  function fakePrometheus(requests: string[]): Promise<Server> {
    const result = ['go_goroutines', 'process_start_time_seconds'].map(name => ({
      metric: { __name__: name, job: 'kubelet' },
      value: [0, '1'],
    }));
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
    return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
  }

  it('explains wrong arguments', async () => {
    for (const [args, problem] of [
      [['-o', 'xml'], /--output takes text, json or yaml, not xml/],
      [['node/a', 'node/b'], /one target at a time/],
      [['--prometheus', 'localhost:9090'], /--prometheus takes a URL such as .*, not localhost:9090/],
      [['--as-group', 'x'], /--as-group needs --as/],
    ] as const) {
      const { code, err } = await run(args);
      assert.equal(code, EXIT.usage);
      assert.match(err, problem);
    }
  });
});
