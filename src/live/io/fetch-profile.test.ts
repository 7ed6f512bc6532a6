import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fetchProfileBytes, profileUrl, type FetchOptions } from './fetch-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-http-'));
const OPTIONS: FetchOptions = {
  seconds: -1,
  timeoutSeconds: -1,
  tls: { cert: '', key: '', ca: '' },
  readFile,
  maxBytes: 1000,
};
const requests: string[] = [];

const answer: RequestListener = (request, response) => {
  requests.push(request.url ?? '');
  const path = (request.url ?? '').split('?')[0];
  if (path.startsWith('/debug/pprof/')) response.end(`profile of ${path}`);
  else if (path === '/go404') {
    response.writeHead(404, { 'X-Go-Pprof': '1', 'Content-Type': 'text/plain; charset=utf-8' });
    response.end('Unknown profile\n');
  } else if (path === '/html500') {
    response.writeHead(500, { 'Content-Type': 'text/html' });
    response.end('<h1>no</h1>');
  } else if (path === '/moved') response.writeHead(302, { location: '/debug/pprof/heap?gc=1' }).end();
  else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
  else if (path === '/nowhere') response.writeHead(302, { location: 'http://[' }).end();
  else if (path === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  else if (path === '/large') response.end(new Uint8Array(5000));
  else if (path === '/cut') {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('half');
    setTimeout(() => response.destroy(), 20);
  } else if (path !== '/hang') response.writeHead(404).end('other server');
};

const servers: Server[] = [];
async function listen(server: Server, at: number | string = 0): Promise<number> {
  servers.push(server);
  await new Promise<void>(resolve =>
    typeof at === 'string' ? server.listen(at, resolve) : server.listen(at, '127.0.0.1', resolve),
  );
  return typeof at === 'string' ? 0 : (server.address() as AddressInfo).port;
}

let host = '';
before(async () => {
  host = `127.0.0.1:${await listen(createServer(answer))}`;
});
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function get(source: string, options: Partial<FetchOptions> = {}): Promise<string> {
  const all = { ...OPTIONS, ...options };
  const target = profileUrl(source, all);
  assert.ok(target !== undefined, source);
  return new TextDecoder().decode(await fetchProfileBytes(target, all));
}

describe('profileUrl', () => {
  it('completes what a user types', () => {
    for (const [source, want] of [
      ['localhost:6060', 'http://localhost:6060/debug/pprof/profile'],
      ['http://h:1/', 'http://h:1/debug/pprof/profile'],
      ['h:1/debug/pprof/heap', 'http://h:1/debug/pprof/heap'],
      ['https+insecure://h:1/x', 'https+insecure://h:1/x'],
      ['heap.pb.gz', undefined],
      ['no/such/file', undefined],
      ['ftp://h/x', undefined],
    ] as const) {
      assert.equal(profileUrl(source, OPTIONS)?.text, want, source);
    }
  });

  it('waits as long as the profile takes, and half as long again', () => {
    const wait = (source: string, options: Partial<FetchOptions> = {}): number | undefined =>
      profileUrl(source, { ...OPTIONS, ...options })?.timeoutSeconds;
    assert.equal(wait('h:1'), 60);
    assert.equal(wait('h:1', { seconds: 30 }), 45);
    assert.equal(wait('http://h:1/x?seconds=10'), 15);
    assert.equal(wait('h:1', { seconds: 30, timeoutSeconds: 5 }), 5);
    assert.equal(profileUrl('h:1/x?a=b', { ...OPTIONS, seconds: 7 })?.url.search, '?a=b&seconds=7');
  });
});

describe('fetchProfileBytes', () => {
  it('gets the body, with -seconds in the query', async () => {
    assert.equal(await get(host), 'profile of /debug/pprof/profile');
    assert.equal(await get(`http://${host}/debug/pprof/heap`, { seconds: 3 }), 'profile of /debug/pprof/heap');
    assert.equal(requests.at(-1), '/debug/pprof/heap?seconds=3');
  });

  it('follows redirects, ten of them', async () => {
    assert.equal(await get(`${host}/moved`), 'profile of /debug/pprof/heap');
    await assert.rejects(get(`${host}/loop`), { message: `Get "http://${host}/loop": stopped after 10 redirects` });
    for (const path of ['nowhere', 'file']) {
      await assert.rejects(get(`${host}/${path}`), {
        message: new RegExp(`^Get "http://${host}/${path}": redirected to "`),
      });
    }
  });

  it('says what the server said', async () => {
    await assert.rejects(get(`${host}/go404`), { message: 'server response: 404 Not Found - Unknown profile' });
    await assert.rejects(get(`${host}/html500`), { message: 'server response: 500 Internal Server Error' });
    await assert.rejects(get(`${host}/other`), { message: 'server response: 404 Not Found' });
  });

  it('says what the network did', async () => {
    const unused = await listen(createServer());
    await new Promise(resolve => servers.pop()!.close(resolve));
    await assert.rejects(get(`127.0.0.1:${unused}/x`), {
      message: `Get "http://127.0.0.1:${unused}/x": dial 127.0.0.1:${unused}: connect: connection refused`,
    });
    for (const scheme of ['https', 'https+insecure']) {
      await assert.rejects(get(`${scheme}://${host}/x`), {
        message: `Get "${scheme}://${host}/x": http: server gave HTTP response to HTTPS client`,
      });
    }
    await assert.rejects(get(`${host}/cut`), /^Failure: Get ".*\/cut": \S/);
    await assert.rejects(
      get(`${host}/large`),
      /the answer is larger than 1000 bytes; set OAKUM_MAX_BYTES to read more$/,
    );
  });

  it('does not wait for ever', async () => {
    // Five seconds come on top of what is asked for.
    const target = { ...profileUrl(`${host}/hang`, OPTIONS)!, timeoutSeconds: -4.8 };
    await assert.rejects(fetchProfileBytes(target, OPTIONS), /no answer within .* s; raise -timeout/);
  });

  it('goes through a unix socket', async () => {
    const socket = join(folder, 'kcp.sock');
    await listen(createServer(answer), socket);
    assert.equal(await get(`unix://${socket}`), 'profile of /debug/pprof/profile');
    assert.equal(await get(`unix://${socket}/debug/pprof/heap?gc=1`), 'profile of /debug/pprof/heap');
    assert.equal(requests.at(-1), '/debug/pprof/heap?gc=1');
    await assert.rejects(get(`unix://${folder}/gone.sock`), {
      message: `Get "unix://${folder}/gone.sock": dial unix ${folder}/gone.sock: connect: no such file or directory`,
    });
  });

  it('checks certificates unless told not to', async t => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    try {
      const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
      execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    } catch {
      return t.skip('openssl is not here');
    }
    const port = await listen(
      createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer) as unknown as Server,
    );
    const path = `127.0.0.1:${port}/debug/pprof/heap`;
    await assert.rejects(get(`https://${path}`), /^Failure: Get "https:.*self-signed certificate/);
    assert.equal(await get(`https+insecure://${path}`), 'profile of /debug/pprof/heap');
    assert.equal(
      await get(`https://${path}`, { tls: { cert: '', key: '', ca: cert } }),
      'profile of /debug/pprof/heap',
    );
    await assert.rejects(
      get(`https://${path}`, { tls: { cert: '', key: '', ca: join(folder, 'gone.pem') } }),
      /gone\.pem/,
    );
  });
});
