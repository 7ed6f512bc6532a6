import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { hang } from '../../../test/double/faults.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import type { CaptureView, ClusterStatus } from '../../watch/watch-model.ts';
import { ACTION_OPTIONS, actionsOf } from '../options/acting.ts';
import { startLive } from './run-live.ts';
import type { StartedWatch, WatchRequest } from './watch-request.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-clusters-'));
const kubeconfigs = join(folder, 'clusters');
const doubles: Record<string, ClusterDouble> = {};

before(async () => {
  mkdirSync(kubeconfigs);
  for (const name of ['eu', 'us', 'expired', 'hangs', 'refused']) doubles[name] = await startCluster({ clock: 'ours' });
  doubles['hangs'].fault('/', hang());
  copyFileSync(doubles['eu'].kubeconfig('admin'), join(kubeconfigs, 'eu.yaml'));
  copyFileSync(doubles['us'].kubeconfig('admin'), join(kubeconfigs, 'us.yaml'));
  copyFileSync(doubles['refused'].kubeconfig('nobody'), join(kubeconfigs, 'refused.yaml'));
  copyFileSync(doubles['expired'].kubeconfig('expired'), join(kubeconfigs, 'expired.yaml'));
  copyFileSync(doubles['hangs'].kubeconfig('admin'), join(kubeconfigs, 'hangs.yaml'));
  copyFileSync(doubles['eu'].kubeconfig('admin', 'https://127.0.0.1:1'), join(kubeconfigs, 'gone.yaml'));
  writeFileSync(join(kubeconfigs, 'plugin.yaml'), withHangingPlugin());
  writeFileSync(join(kubeconfigs, 'broken.yaml'), 'clusters: [');
  writeFileSync(join(kubeconfigs, 'README.md'), 'not a kubeconfig');
  writeFileSync(join(kubeconfigs, '.hidden.yaml'), 'not one either');
});

after(async () => {
  await Promise.all(Object.values(doubles).map(double => double.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** The credentials of eu come from a plugin that never answers, at another path of a server that would. */
function withHangingPlugin(): string {
  const text = readFileSync(doubles['eu'].kubeconfig('admin'), 'utf8');
  const config = JSON.parse(text) as { clusters: { cluster: { server: string } }[]; users: object[] };
  const { server } = config.clusters[0].cluster;
  config.clusters[0].cluster.server = `${server}/another`;
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sleep', args: ['600'] };
  return JSON.stringify({ ...config, users: [{ name: 'admin', user: { exec } }] });
}

function request(parts: Partial<WatchRequest>): WatchRequest {
  const values = Object.fromEntries(Object.entries(ACTION_OPTIONS).map(([key, option]) => [key, option.read([], key)]));
  return {
    options: {
      kubeconfig: '',
      context: '',
      namespace: '',
      as: '',
      asGroups: [],
      tokenFile: '',
      certificateAuthority: '',
      clientCertificate: '',
      clientKey: '',
      insecure: false,
      direct: false,
      requestTimeoutSeconds: 60,
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    },
    targets: [],
    clusters: [],
    listen: { host: 'localhost', port: 0 },
    listenTokenFile: '',
    data: mkdtempSync(join(folder, 'data-')),
    store: '',
    storeFile: '',
    evidence: '',
    replica: undefined,
    replicaId: undefined,
    replicaNamespace: undefined,
    retentionSeconds: undefined,
    setDamagedAside: false,
    intervalSeconds: 1,
    config: '',
    attributes: '',
    nodes: false,
    capture: true,
    gc: false,
    prometheus: '',
    prometheusTokenFile: '',
    prometheusHeader: {},
    selector: '',
    profiler: undefined,
    alertmanagers: [],
    actions: actionsOf(values as unknown as Parameters<typeof actionsOf>[0]),
    nodeCondition: false,
    detector: { memoryLimitBytes: undefined, leastGrowth: {}, timeScale: 1 },
    demo: false,
    pace: undefined,
    ...parts,
  };
}

async function started(
  parts: Partial<WatchRequest>,
  look: (watch: StartedWatch, log: readonly string[]) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const log: string[] = [];
  const begun = await startLive(request(parts), memoryIo({ cwd: folder }), stop.signal, line => void log.push(line));
  assert.ok(typeof begun === 'object');
  try {
    await look(begun, log);
  } finally {
    stop.abort();
    await begun.plans?.stop();
    await begun.feed;
    await begun.watch.stop();
  }
}

async function until<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    await delay(50);
  }
}

describe('a watch of several clusters', () => {
  it('samples those that answer, whatever the others do, and says which are not reached and why', async () => {
    await started({ clusters: ['clusters'] }, async ({ watch, introduction }) => {
      assert.match(
        introduction[0] ?? '',
        /^Watching the nodes of 8 clusters \(broken, eu, expired, gone, hangs, plugin, refused, us\)/,
      );
      const rows = await until(async () => {
        const { rows: all } = await watch.fleet(1);
        const sampled = all.filter(({ lastSampleAt, target }) => lastSampleAt && target !== 'oakum');
        return sampled.length === 2 ? sampled : undefined;
      });
      assert.deepEqual(rows.map(({ target }) => target).sort(), [
        'cluster/eu/node/worker-17',
        'cluster/us/node/worker-17',
      ]);
      assert.deepEqual(rows.map(({ attributes }) => attributes['cluster']).sort(), ['eu', 'us']);
      const stateOf = (name: string): ClusterStatus =>
        watch.status().clusters?.find(one => one.name === name) ?? assert.fail(name);
      assert.equal(watch.status().cluster, '8 clusters');
      assert.deepEqual([stateOf('eu').state, stateOf('eu').targetCount], ['reached', 1]);
      assert.equal(stateOf('us').state, 'reached');
      for (const [name, why] of [
        ['expired', /401|token|credentials/],
        ['gone', /refuses the connection/],
        ['refused', /may not|forbidden/i],
        ['broken', /broken\.yaml is not a kubeconfig/],
      ] as const) {
        const { why: said } = await until(() => (stateOf(name).state === 'not reached' ? stateOf(name) : undefined));
        assert.match(said ?? '', why, name);
        const missing = watch.status().missingRights.map(({ what }) => what);
        assert.ok(
          missing.some(what => what.startsWith(`cluster ${name}: `)),
          `${name} in ${missing.join('\n')}`,
        );
      }
      // Their first requests still wait for an answer.
      assert.equal(stateOf('hangs').targetCount, 0);
      assert.equal(stateOf('plugin').targetCount, 0);
    });
  });

  it('asks each target through its own cluster', async () => {
    await started({ clusters: ['clusters/us.yaml', 'clusters/eu.yaml'] }, async ({ watch }) => {
      // One that hangs keeps only its own capture waiting.
      doubles['eu'].fault('/debug/pprof', hang());
      const capturesOf = async (name: string): Promise<readonly CaptureView[]> =>
        (await watch.target(name, undefined, undefined))?.captures ?? [];
      let taken: readonly CaptureView[] = [];
      while (taken.length === 0) {
        taken = await capturesOf('cluster/us/node/worker-17');
        await delay(50);
      }
      doubles['eu'].fault('/debug/pprof', undefined);
      assert.ok(doubles['us'].requests.some(line => line.includes('/nodes/worker-17/proxy/debug/pprof')));
      assert.equal(taken[0].target, 'cluster/us/node/worker-17');
      assert.deepEqual(await capturesOf('cluster/eu/node/worker-17'), []);
    });
  });

  it('has named targets in them, and settings of their own', async () => {
    writeFileSync(
      join(folder, 'oakum.yaml'),
      `clusters:
  - clusters/eu.yaml
  - { name: second, kubeconfig: clusters/us.yaml, context: lab, capture: false, memory-limit: 2Gi }
targets: [cluster/second/apiserver]
`,
    );
    await started({ config: 'oakum.yaml' }, async ({ watch }) => {
      const rows = await until(async () => {
        const { rows: all } = await watch.fleet(1);
        const sampled = all.filter(({ lastSampleAt, target }) => lastSampleAt && target !== 'oakum');
        return sampled.length === 3 ? sampled : undefined;
      });
      assert.deepEqual(rows.map(({ target }) => target).sort(), [
        'cluster/eu/node/worker-17',
        'cluster/second/apiserver',
        'cluster/second/node/worker-17',
      ]);
      const refused = await watch.captureNow('cluster/second/node/worker-17');
      assert.deepEqual(refused, { refused: 'captures are off for the cluster second, by the file of --config' });
    });
  });

  it('refuses what would be watched twice or not at all', async () => {
    copyFileSync(join(kubeconfigs, 'eu.yaml'), join(folder, 'us.yaml'));
    copyFileSync(join(kubeconfigs, 'eu.yaml'), join(folder, 'same.yaml'));
    mkdirSync(join(folder, 'empty'));
    const apiserver = { kind: 'apiserver' } as const;
    const kubeconfig = { ...request({}).options, kubeconfig: join(kubeconfigs, 'eu.yaml') };
    for (const [parts, problem] of [
      [{ clusters: ['clusters/us.yaml', 'us.yaml'] }, /two clusters are called us: clusters\/us.yaml and us.yaml/],
      [{ clusters: ['clusters/eu.yaml', 'same.yaml'] }, /eu and same are the same cluster, https:\/\/127/],
      [{ clusters: ['empty'] }, /--clusters empty: there is no kubeconfig in this folder/],
      [{ clusters: ['prod-*'], options: kubeconfig }, /no such folder, and no such context .* contexts are lab/],
      [
        { clusters: ['clusters/eu.yaml'], targets: [apiserver] },
        /apiserver: say in which cluster, such as cluster\/eu\/apiserver/,
      ],
      [{ targets: [{ ...apiserver, cluster: 'eu' }] }, /cluster\/eu\/apiserver: say with --clusters/],
      [{ clusters: ['clusters/broken.yaml'] }, /broken.yaml is not a kubeconfig/],
    ] as const)
      await assert.rejects(
        started(parts, async () => {}),
        (error: Error) => {
          assert.match(error.message, problem);
          return true;
        },
      );
  });

  it('is of the contexts that match', async () => {
    const config = JSON.parse(readFileSync(join(kubeconfigs, 'eu.yaml'), 'utf8')) as { contexts: object[] };
    const [{ context }] = config.contexts as { context: object }[];
    const contexts = ['prod/eu', 'prod/us', 'staging'].map(name => ({ name, context }));
    const path = join(folder, 'several.json');
    writeFileSync(path, JSON.stringify({ ...config, contexts }));
    const options = { ...request({}).options, kubeconfig: path };
    await assert.rejects(
      started({ clusters: ['prod/*'], options }, async () => {}),
      /prod-eu and prod-us are the same/,
    );
    await started({ clusters: ['stag*'], options }, async ({ watch }) => {
      await until(() => watch.fleetRows(['cluster/staging/node/worker-17'], 1)[0]);
    });
  });
});
