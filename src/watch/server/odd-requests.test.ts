/** Whatever is sent: an answer with a sentence, never a crash, never a 500. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { startExample, type Answer } from '../../../test/double/example-server.ts';
import { until } from '../../../test/until.ts';

function assertProper(answer: Answer, what: string): void {
  assert.ok(answer.status < 500 || answer.status === 503, `${what}: ${answer.status} ${answer.text}`);
  assert.ok(answer.headers['content-security-policy'], what);
  if (answer.status < 400 || answer.bytes.length === 0) return;
  const { error, hint } = JSON.parse(answer.text) as Record<string, unknown>;
  assert.match(String(error), /^[A-Z0-9a-z].*\.$/s, what);
  assert.equal(typeof hint, 'string');
}

describe('methods', () => {
  it('HEAD is GET without the body', async t => {
    const { ask } = await startExample(t);
    for (const path of [
      '/',
      '/assets/main-4QX7ZJ2K.js',
      '/api/v1/fleet',
      '/api/v1/incidents/i-1/bundle',
      '/api/v1/nothing',
    ]) {
      const [get, head] = [await ask(path), await ask(path, { method: 'HEAD' })];
      assert.equal(head.status, get.status, path);
      assert.equal(head.bytes.length, 0);
      assert.equal(head.headers.etag, get.headers.etag);
      if (get.status === 200) assert.equal(head.headers['content-length'], String(get.bytes.length), path);
    }
  });

  it('OPTIONS tells what is possible and allows no other page anything', async t => {
    const { ask } = await startExample(t);
    const headers = { origin: 'http://evil.com', 'access-control-request-method': 'POST' };
    const fleet = await ask('/api/v1/fleet', { method: 'OPTIONS', headers });
    assert.deepEqual([fleet.status, fleet.headers.allow], [204, 'GET, HEAD, OPTIONS']);
    const capture = await ask('/api/v1/targets/a/capture', { method: 'OPTIONS', headers });
    assert.deepEqual([capture.status, capture.headers.allow], [204, 'POST, OPTIONS']);
    assert.equal(capture.headers['access-control-allow-methods'], undefined);
  });

  it('others are refused', async t => {
    const { ask } = await startExample(t);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH']) {
      for (const path of ['/', '/api/v1/fleet', '/api/v1/targets/a/capture', '/metrics']) {
        const answer = await ask(path, { method });
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.ok(answer.headers.allow);
      }
    }
    const json = { 'content-type': 'application/json' };
    assert.equal((await ask('/api/v1/fleet', { method: 'POST', headers: json, body: '{}' })).status, 405);
  });
});

describe('a POST', () => {
  it('without a length or a body is a capture like any other', async t => {
    const { url } = await startExample(t);
    const { hostname, port } = new URL(url);
    const post =
      'POST /api/v1/targets/nowhere/capture HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const bodies = [
      'Connection: close\r\n\r\n',
      'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ];
    for (const rest of bodies) {
      const socket = connect(Number(port), hostname);
      socket.end(post + rest);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      assert.match(answer, /^HTTP\/1\.1 404 /, answer);
    }
    const large = `${post}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1400\r\n${' '.repeat(0x1400)}\r\n0\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    socket.end(large);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    assert.match(answer, /^HTTP\/1\.1 413 /, answer);
  });
});

describe('addresses', () => {
  it('may be of any length and content', async t => {
    const { ask } = await startExample(t);
    assert.equal((await ask(`/${'a'.repeat(5000)}`)).status, 414);
    assert.equal((await ask(`/api/v1/fleet?hours=${'1'.repeat(5000)}`)).status, 414);
    assert.ok([414, 431].includes((await ask(`/${'a'.repeat(20_000)}`)).status));
    for (const path of [
      '/api/v1/%',
      '/%',
      '/api/v1/targets/%c0%af',
      '/api/v1/targets/a%0d%0ax',
      '/?',
      '//',
      '/api',
      '/api/',
      '/api/v1//fleet',
      '/*',
      '*',
      '/api/v1/targets/' + '%2e%2e%2f'.repeat(50),
    ]) {
      assertProper(await ask(path), path);
    }
  });

  it('made at random never fail', async t => {
    const { ask, logged } = await startExample(t);
    const piece = fc.oneof(
      fc.constantFrom(
        'api',
        'v1',
        'fleet',
        'targets',
        'incidents',
        'i-1',
        'report',
        'bundle',
        'profiles',
        'captures',
        '..',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }).map(encodeURIComponent),
      fc.string({ maxLength: 12 }).map(text => text.replace(/[^\x21-\x7e]/g, '%')),
    );
    const key = fc.oneof(fc.constantFrom('hours', 'from', 'to', 'for', '__proto__', 'constructor', 'token'), piece);
    const value = fc.oneof(
      piece,
      fc.double().map(String),
      fc.integer().map(String),
      fc.constantFrom('', 'NaN', '1e309', '-0'),
    );
    const path = fc.record({
      pieces: fc.array(piece, { maxLength: 6 }),
      isApi: fc.boolean(),
      query: fc.array(fc.tuple(key, value), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(path, async ({ pieces, isApi, query }) => {
        const search = query.map(([name, text]) => `${name}=${text}`).join('&');
        const url = `${isApi ? '/api/v1/' : '/'}${pieces.join('/')}?${search}`;
        if (/^\/api\/v1\/events\b/.test(new URL(`http://a${url}`).pathname)) return;
        assertProper(await ask(url), url);
      }),
      { numRuns: 400 },
    );
    assert.deepEqual(logged, []);
  });
});

describe('connections', () => {
  it('that speak something else are closed, and others go on', async t => {
    const { ask, port } = await startExample(t);
    const nonsense = [
      'hello\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00',
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      'CONNECT evil.com:443 HTTP/1.1\r\nHost: evil.com\r\n\r\n',
      'GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\nAccept: x\r\nSec-Fetch-Site: cross-site\r\n\r\n',
      'POST /api/v1/targets/a/capture HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ];
    for (const text of nonsense) {
      const reply = await raw(port, text);
      assert.doesNotMatch(reply, /^HTTP\/1\.1 (?:2|5)/, text.slice(0, 60));
      assert.equal((await ask('/healthz')).status, 200);
    }
  });

  it('with a host that no URL can have, or with two hosts, are malformed', async t => {
    const { port, logged } = await startExample(t);
    for (const hosts of [
      'Host: loca.1\r\n',
      'Host: loca.1\r\nHost: localhost\r\n',
      'Host: localhost\r\nHost: loca.1\r\n',
    ]) {
      const reply = await raw(port, `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
      assert.match(reply, /^HTTP\/1\.1 4\d\d /);
    }
    assert.deepEqual(logged, []);
  });

  it('that end before the answer leave nothing behind', async t => {
    let release = (): void => undefined;
    const waiting = new Promise<void>(resolve => (release = resolve));
    const server = await startExample(t, { changes: { target: async () => (await waiting, undefined) } });
    const inFlight = async (): Promise<number> => {
      const { text } = await server.ask('/metrics');
      return Number(/^oakum_http_requests_in_flight (\d+)$/m.exec(text)?.[1]);
    };
    const sockets = Array.from({ length: 20 }, () => {
      const socket = connect(server.port, '127.0.0.1');
      socket.write('GET /api/v1/targets/a HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return socket;
    });
    // The question itself is one more.
    await until(async () => (await inFlight()) === sockets.length + 1);
    for (const socket of sockets) socket.destroy();
    release();
    await until(async () => (await inFlight()) === 1);
    assert.deepEqual(server.logged, []);
  });
});

function raw(port: number, text: string): Promise<string> {
  return new Promise(resolve => {
    let reply = '';
    // Nothing more will come: then the server does not wait for the rest of what is no request.
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.on('data', chunk => (reply += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(reply));
  });
}
