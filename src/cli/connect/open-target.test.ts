import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { decodeText } from '../../base/text.ts';
import { parseTargetRef, type TargetRef } from '../../evidence/target.ts';
import type { Answer, NoAnswer, Reply } from '../../live/reply.ts';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { openTarget, type OpenOptions } from './open-target.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-open-'));
const LIMITS = { deadlineSeconds: 3600, maxBytes: 1024 * 1024 };
const OPTIONS: OpenOptions = {
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
  cwd: folder,
  env: {},
};

let cluster: ClusterDouble;
before(async () => {
  cluster = await startCluster();
});
after(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(target: string, path: string, options: Partial<OpenOptions>, limits = {}): Promise<Reply> {
  const opened = await openTarget(parseTargetRef(target) as TargetRef, { ...OPTIONS, ...options });
  if (opened.kind === 'not-opened') return opened.reply;
  return opened.connection.get(path, { ...LIMITS, ...limits });
}

function answered(reply: Reply): Answer {
  assert.equal(reply.kind, 'answer', JSON.stringify(reply));
  return reply as Answer;
}

function unanswered(reply: Reply): NoAnswer {
  assert.notEqual(reply.kind, 'answer');
  return reply as NoAnswer;
}

describe('a node', () => {
  it('is reached through the API server, with the date of its clock', async () => {
    const reply = answered(await ask('node/worker-17', '/metrics', { kubeconfig: cluster.kubeconfig('admin') }));
    assert.equal(reply.status, 200);
    assert.match(decodeText(reply.body), /kubernetes_build_info/);
    assert.equal(reply.dateSeconds, 1_794_772_310);
    assert.equal(cluster.requests.at(-1), 'GET /api/v1/nodes/worker-17/proxy/metrics as admin');
  });

  it('is reached directly at the address and port of the Node object', async () => {
    const options = { kubeconfig: cluster.kubeconfig('metrics-only'), direct: true };
    assert.equal(answered(await ask('node/worker-17', '/metrics', options)).status, 200);
    assert.equal(answered(await ask('node/worker-17', '/debug/pprof/heap', options)).status, 403);
    const unknown = answered(await ask('node/other', '/metrics', options));
    assert.equal(unknown.status, 404, 'the Node object is missing');
  });

  it('is reached as another user with --as, and anonymously without credentials', async () => {
    const options = { kubeconfig: cluster.kubeconfig('admin') };
    assert.equal(answered(await ask('node/worker-17', '/metrics', { ...options, as: 'nobody' })).status, 403);
    const anonymous = answered(await ask('node/worker-17', '/metrics', options, { withoutCredentials: true }));
    assert.equal(anonymous.status, 403);
    assert.match(decodeText(anonymous.body), /system:anonymous/);
  });

  it('answers 401 to an expired token, and accepts one from a file', async () => {
    const kubeconfig = cluster.kubeconfig('expired');
    assert.equal(answered(await ask('node/worker-17', '/metrics', { kubeconfig })).status, 401);
    const tokenFile = cluster.tokenFile('admin');
    assert.equal(answered(await ask('node/worker-17', '/metrics', { kubeconfig, tokenFile })).status, 200);
  });
});

describe('a kubeconfig', () => {
  it('can get its token from a plugin, which gets the same input as from kubectl', async () => {
    const plugin = join(folder, 'plugin.sh');
    writeFileSync(
      plugin,
      `#!/bin/sh
case "$KUBERNETES_EXEC_INFO" in *ExecCredential*) ;; *) echo no info >&2; exit 1 ;; esac
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"token-admin"}}'
`,
      { mode: 0o755 },
    );
    const path = withUser({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh' } });
    assert.equal(answered(await ask('node/worker-17', '/metrics', { kubeconfig: path })).status, 200);
    const broken = withUser({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './absent' } });
    assert.equal(unanswered(await ask('node/worker-17', '/metrics', { kubeconfig: broken })).kind, 'credentials');
  });

  it("may have a plugin that hangs: the deadline is the plugin's, not the target's", async () => {
    writeFileSync(join(folder, 'hang.sh'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
    const kubeconfig = withUser({ exec: { command: './hang.sh' } });
    const env = { PATH: process.env['PATH'] };
    const reply = unanswered(await ask('node/worker-17', '/metrics', { kubeconfig, env }, { deadlineSeconds: 0.2 }));
    assert.equal(reply.kind, 'credentials');
    assert.match(reply.message, /the credential plugin hang\.sh gave no credentials within/);
  });

  it('may name files that never end', { skip: !existsSync('/dev/zero') && 'no /dev/zero' }, async () => {
    for (const user of [{ tokenFile: '/dev/zero' }, { 'client-certificate': '/dev/zero', 'client-key': '/dev/zero' }]) {
      const reply = unanswered(await ask('node/worker-17', '/metrics', { kubeconfig: withUser(user) }));
      assert.equal(reply.kind, 'credentials');
      assert.match(reply.message, /\/dev\/zero: larger than/);
    }
    await assert.rejects(ask('apiserver', '/', { kubeconfig: '/dev/zero' }), /\/dev\/zero: larger than any kubeconfig/);
  });

  it('may use a provider that Kubernetes has dropped: its command is never run', async () => {
    const ran = join(folder, 'ran');
    const config = { 'cmd-path': '/usr/bin/touch', 'cmd-args': ran, 'token-key': '{.t}', 'expiry-key': '{.e}' };
    for (const name of ['gcp', 'azure']) {
      const kubeconfig = withUser({ 'auth-provider': { name, config } });
      const reply = unanswered(await ask('node/worker-17', '/metrics', { kubeconfig }));
      assert.equal(reply.kind, 'credentials');
      assert.match(reply.message, new RegExp(`auth-provider ${name}, which Kubernetes 1.26 replaced by`));
    }
    assert.equal(existsSync(ran), false);
  });

  it('can name a token file, whose last line break is not part of the token', async () => {
    const path = withUser({ tokenFile: cluster.tokenFile('admin') });
    assert.equal(answered(await ask('node/worker-17', '/metrics', { kubeconfig: path })).status, 200);
  });

  it('is merged from several files; the first one wins', async () => {
    const good = cluster.kubeconfig('admin');
    const shadowed = cluster.kubeconfig('nobody', 'https://127.0.0.1:1');
    const env = { KUBECONFIG: [join(folder, 'absent'), good, shadowed].join(delimiter) };
    assert.equal(answered(await ask('node/worker-17', '/metrics', { env })).status, 200);
  });

  it('explains what is wrong with it', async () => {
    const kubeconfig = cluster.kubeconfig('admin');
    await assert.rejects(ask('apiserver', '/', { kubeconfig, context: 'prod' }), /no context prod; there are lab/);
    await assert.rejects(ask('apiserver', '/', {}), /there is no kubeconfig: give --kubeconfig/);
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'a: [1\nb: }');
    await assert.rejects(ask('apiserver', '/', { kubeconfig: file }), /bad\.yaml is not a kubeconfig/);
  });

  function withUser(user: unknown): string {
    const config = {
      clusters: [{ name: 'c', cluster: { server: cluster.apiServer, 'certificate-authority': cluster.caFile } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    return join(folder, 'config.json');
  }
});

describe('a failed connection is a value', () => {
  it('a refused connection, an unknown name', async () => {
    assert.equal(unanswered(await ask('http://127.0.0.1:1', '/metrics', {})).kind, 'refused');
    assert.equal(unanswered(await ask('http://nowhere.invalid', '/metrics', {})).kind, 'dns');
    assert.equal(unanswered(await ask('unix:///nowhere.sock', '/metrics', {})).kind, 'socket');
  });

  it('invalid certificates', async () => {
    const cases = [
      ['expired', 'expired'],
      ['other-name', 'wrong-name'],
      ['self-signed', 'unknown-ca'],
    ] as const;
    for (const [certificate, problem] of cases) {
      const other = await startCluster({ certificate });
      const kubeconfig = other.kubeconfig('admin');
      assert.equal(unanswered(await ask('node/worker-17', '/metrics', { kubeconfig })).tls, problem);
      const trusting = answered(await ask('node/worker-17', '/metrics', { kubeconfig, insecure: true }));
      assert.equal(trusting.status, 200);
      await other.close();
    }
  });
});

describe('a proxy', () => {
  it('from the environment carries TLS, and NO_PROXY is obeyed', async () => {
    const connects: string[] = [];
    const proxy = await tunnelling(connects);
    const port = new URL(cluster.apiServer).port;
    // The test server's certificate also covers localhost. Loopback addresses never use a proxy, so the name is faked.
    const kubeconfig = cluster.kubeconfig('admin', `https://elsewhere.example:${port}`);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const reply = answered(await ask('node/worker-17', '/metrics', { kubeconfig, insecure: true, env }));
    assert.equal(reply.status, 200);
    assert.deepEqual(connects, [`elsewhere.example:${port}`]);
    const exempt = { ...env, NO_PROXY: '.other.example,elsewhere.example' };
    const direct = unanswered(await ask('node/worker-17', '/metrics', { kubeconfig, insecure: true, env: exempt }));
    assert.equal(direct.kind, 'dns');
    proxy.close();
    const gone = unanswered(await ask('node/worker-17', '/metrics', { kubeconfig, insecure: true, env }));
    assert.equal(gone.kind, 'proxy');
  });

  it('from the kubeconfig can speak SOCKS', async () => {
    const connects: string[] = [];
    const socks = await socksServer(connects);
    const at = (port: number): string => {
      const user = { token: 'token-admin' };
      const url = new URL(cluster.apiServer);
      const server = { server: url.origin, 'certificate-authority': cluster.caFile };
      const config = {
        clusters: [{ name: 'c', cluster: { ...server, 'proxy-url': `socks5://127.0.0.1:${port}` } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      };
      writeFileSync(join(folder, 'socks.json'), JSON.stringify(config));
      return join(folder, 'socks.json');
    };
    const kubeconfig = at((socks.address() as AddressInfo).port);
    assert.equal(answered(await ask('node/worker-17', '/metrics', { kubeconfig })).status, 200);
    assert.deepEqual(connects, [new URL(cluster.apiServer).port]);
    socks.close();
    assert.equal(unanswered(await ask('node/worker-17', '/metrics', { kubeconfig: at(1) })).kind, 'proxy');
  });

  /** SOCKS 5 without authentication: greeting, one CONNECT to an IPv4 address or a name, then bytes. */
  function socksServer(connects: string[]): Promise<TcpServer> {
    const server = createTcpServer(socket => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(Uint8Array.of(5, 0));
        socket.once('data', request => {
          const port = request.readUInt16BE(request.length - 2);
          connects.push(String(port));
          const onward = connect(port, '127.0.0.1', () => {
            socket.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
            onward.pipe(socket).pipe(onward);
          });
          onward.on('error', () => socket.destroy());
        });
      });
    });
    return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
  }

  /** A proxy that resolves every name to loopback. */
  function tunnelling(connects: string[]): Promise<Server> {
    const server = createServer();
    server.on('connect', (request, socket) => {
      connects.push(request.url ?? '');
      const onward = connect(Number((request.url ?? '').split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
  }
});

describe('a daemon', () => {
  it('is reached over a socket and over http', async () => {
    const socket = join(folder, 'd.sock');
    const server = createServer((request, response) => response.end(`asked ${request.url}`));
    await new Promise<void>(resolve => server.listen(socket, resolve));
    const reply = answered(await ask(`unix://${socket}`, '/debug/pprof/heap?debug=1', {}));
    assert.equal(decodeText(reply.body), 'asked /debug/pprof/heap?debug=1');
    server.close();
  });
});

describe('a target of one of several clusters', () => {
  it('is opened in the context of that name, as with --context', async () => {
    const kubeconfig = join(folder, 'several.yaml');
    const text = readFileSync(cluster.kubeconfig('admin'), 'utf8');
    const parsed = parse(text) as { contexts: { name: string; context: object }[] };
    const [{ context }] = parsed.contexts;
    const contexts = ['arn:aws:eks:eu:1:cluster/prod', 'staging', 'staging:'].map(name => ({ name, context }));
    writeFileSync(kubeconfig, stringify({ ...parsed, contexts, 'current-context': 'nowhere' }));
    const open = (name: string, options: Partial<OpenOptions> = {}) =>
      openTarget(parseTargetRef(name) as TargetRef, { ...OPTIONS, kubeconfig, ...options });
    const opened = await open('cluster/arn-aws-eks-eu-1-cluster-prod/node/worker-17');
    assert.ok(opened.kind === 'opened');
    assert.equal(opened.cluster?.context, 'arn:aws:eks:eu:1:cluster/prod');
    assert.equal(opened.connection.target, 'node/worker-17');
    assert.equal(answered(await opened.connection.get('/metrics', LIMITS)).status, 200);
    await assert.rejects(
      open('cluster/staging/node/a'),
      /may be the context staging or staging:; choose with --context/,
    );
    assert.equal((await open('cluster/staging/node/a', { context: 'staging' })).kind, 'opened');
    await assert.rejects(open('cluster/other/node/a'), /no context other; .* give --kubeconfig DIR\/other.yaml/);
    await assert.rejects(open('cluster/other/node/a', { context: 'staging' }), /is not the context staging/);
  });

  it('is opened with the kubeconfig of that name', async () => {
    const kubeconfig = join(folder, 'prod-eu.yaml');
    copyFileSync(cluster.kubeconfig('admin'), kubeconfig);
    const reply = await ask('cluster/prod-eu/node/worker-17', '/metrics', { kubeconfig });
    assert.equal(answered(reply).status, 200);
  });
});
