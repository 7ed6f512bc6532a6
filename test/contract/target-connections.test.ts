/** Every connection to a target fulfils the contract. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { credentialFiles } from '../../src/live/io/credential-files.ts';
import { daemonConnection } from '../../src/live/io/daemon-connection.ts';
import { httpSender } from '../../src/live/io/send-request.ts';
import { type KubeCluster, openKubeCluster } from '../../src/live/io/kube/kube-cluster.ts';
import type { TargetConnection } from '../../src/live/ports.ts';
import { CA_FILE, type MoodyOptions, startMoodyServer } from './moody-server.ts';
import { type OpenedConnection, targetConnectionContract } from './target-connection-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-connections-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'token'), 'secret\n');

const send = httpSender({});
const files = credentialFiles(folder);
const DAEMON = {
  tokenFile: 'token',
  certificateAuthority: fileURLToPath(CA_FILE),
  clientCertificate: '',
  clientKey: '',
  insecure: false,
};
const COMMON = { authorization: 'Bearer secret' };

for (const scheme of ['http', 'https'] as const) {
  targetConnectionContract({
    ...COMMON,
    name: `${scheme} URL with a path`,
    target: new RegExp(`^${scheme}://127\\.0\\.0\\.1:\\d+/base$`),
    via: 'http',
    open: async () => {
      const server = await startMoodyServer({ tls: scheme === 'https', prefix: '/base' });
      const ref = { kind: 'url', url: `${scheme}://127.0.0.1:${server.port}/base` } as const;
      return { connection: daemonConnection(ref, DAEMON, send, files), close: server.close };
    },
  });
}

let sockets = 0;
targetConnectionContract({
  ...COMMON,
  name: 'unix socket',
  target: /^unix:\/\/\/.*\.sock$/,
  via: 'unix',
  open: async () => {
    const socketPath = join(folder, `${sockets++}.sock`);
    const { close } = await startMoodyServer({ socketPath });
    return { connection: daemonConnection({ kind: 'unix', socketPath }, DAEMON, send, files), close };
  },
});

targetConnectionContract({
  ...COMMON,
  name: 'node through the API server',
  target: /^node\/worker-17$/,
  via: 'api-server-proxy',
  open: () =>
    inCluster({ prefix: '/api/v1/nodes/worker-17/proxy' }, async kube =>
      kube.target({ kind: 'node', name: 'worker-17' }),
    ),
});

targetConnectionContract({
  ...COMMON,
  name: 'pod through the API server',
  target: /^pod\/kcp\/https:kcp-0:6443$/,
  via: 'api-server-proxy',
  open: () =>
    inCluster({ prefix: '/api/v1/namespaces/kcp/pods/https:kcp-0:6443/proxy' }, async kube =>
      kube.target({ kind: 'pod', namespace: undefined, name: 'kcp-0', scheme: 'https', port: 6443 }),
    ),
});

targetConnectionContract({
  ...COMMON,
  name: 'API server',
  target: /^apiserver$/,
  via: 'api-server',
  open: () => inCluster({}, async kube => kube.target({ kind: 'apiserver' })),
});

targetConnectionContract({
  ...COMMON,
  name: "kubelet's own port",
  target: /^node\/worker-17$/,
  via: 'kubelet',
  open: async () => {
    const kubelet = await startMoodyServer({ tls: true });
    const status = {
      addresses: [
        { type: 'Hostname', address: 'nowhere.invalid' },
        { type: 'InternalIP', address: '127.0.0.1' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    };
    const answers = (path: string): unknown => (path === '/api/v1/nodes/worker-17' ? { status } : undefined);
    const { connection, close } = await inCluster({ prefix: '/none', answers }, async kube => {
      const found = await kube.findKubelet('worker-17');
      assert.ok(!('kind' in found), JSON.stringify(found));
      return found;
    });
    return { connection, close: async () => void (await Promise.all([close(), kubelet.close()])) };
  },
});

/** A connection through a kubeconfig. */
async function inCluster(
  options: MoodyOptions,
  connect: (kube: KubeCluster) => Promise<TargetConnection>,
): Promise<OpenedConnection> {
  const server = await startMoodyServer({ ...options, tls: true });
  const kubeconfig = join(folder, `kubeconfig-${server.port}.json`);
  const cluster = {
    server: `https://127.0.0.1:${server.port}`,
    'certificate-authority': fileURLToPath(CA_FILE),
  };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: 'secret' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'kcp' } }],
      'current-context': 'x',
    }),
  );
  const kube = await openKubeCluster(
    {
      kubeconfig,
      context: '',
      namespace: '',
      as: '',
      asGroups: [],
      tokenFile: '',
      certificateAuthority: '',
      insecure: false,
      cwd: folder,
      env: {},
    },
    send,
    files,
  );
  return { connection: await connect(kube), close: server.close };
}
