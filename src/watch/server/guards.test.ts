import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorOf, startExample, type ExampleServer, type Question } from '../../../test/double/example-server.ts';
import { EXAMPLE_SHA256 } from '../../../test/double/example-service.ts';

const TOKEN = 'correct-horse-battery';
const CAPTURE = '/api/v1/targets/node/worker-1/capture';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('every answer', () => {
  it('carries the headers that keep other pages out', async t => {
    const { ask } = await startExample(t, { token: TOKEN });
    const bearer = { authorization: `Bearer ${TOKEN}` };
    const cases: [string, Question, number][] = [
      ['/', { headers: bearer }, 200],
      ['/', { headers: { accept: 'text/html' } }, 401],
      ['/assets/main-4QX7ZJ2K.js', { headers: bearer }, 200],
      ['/assets/none.js', { headers: bearer }, 404],
      ['/api/v1/status', { headers: bearer }, 200],
      ['/api/v1/status', {}, 401],
      ['/api/v1/status', { headers: { ...bearer, 'if-none-match': '*' } }, 304],
      ['/api/v1/status', { method: 'OPTIONS' }, 204],
      ['/api/v1/status', { method: 'PUT', headers: bearer }, 405],
      ['/api/v1/events', { method: 'HEAD', headers: bearer }, 200],
      [`/api/v1/profiles/${EXAMPLE_SHA256}`, { headers: bearer }, 200],
      [`/login?token=${TOKEN}`, {}, 200],
      ['/metrics', { headers: bearer }, 200],
      ['/healthz', {}, 200],
      ['/healthz', { headers: { host: 'a b' } }, 400],
    ];
    for (const [path, question, status] of cases) {
      const answer = await ask(path, question);
      assert.equal(answer.status, status, path);
      assert.deepEqual(
        [
          'content-security-policy',
          'x-content-type-options',
          'referrer-policy',
          'cross-origin-opener-policy',
          'cross-origin-resource-policy',
          'x-frame-options',
        ].map(name => answer.headers[name]),
        [POLICY, 'nosniff', 'no-referrer', 'same-origin', 'same-origin', 'DENY'],
        path,
      );
      assert.ok(answer.headers['cache-control'], path);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
      assert.equal(answer.headers['x-powered-by'], undefined);
    }
  });
});

describe('a page that was made to point here', () => {
  it('is refused by the name it calls the server', async t => {
    const { ask, port } = await startExample(t);
    for (const host of ['evil.com', `evil.com:${port}`, '127.0.0.1.evil.com', '10.0.0.1', 'localhost.evil.com']) {
      for (const path of ['/', '/api/v1/status', '/healthz', '/metrics', '/login']) {
        const answer = await ask(path, { headers: { host } });
        assert.equal(answer.status, 403, `${host} ${path}`);
        assert.match(errorOf(answer).error, /^This server answers on this machine only, and not as /);
      }
    }
    for (const host of ['localhost', `LOCALHOST:${port}`, '127.0.0.1:1', '[::1]:7777', `oakum.localhost:${port}`]) {
      assert.equal((await ask('/api/v1/status', { headers: { host } })).status, 200, host);
    }
  });

  it('gets nothing without the cookie where there is a token', async t => {
    const { ask } = await startExample(t, { token: TOKEN });
    const headers = { host: 'oakum.example.com' };
    assert.equal((await ask('/api/v1/status', { headers })).status, 401);
    const known = { ...headers, authorization: `Bearer ${TOKEN}` };
    assert.equal((await ask('/api/v1/status', { headers: known })).status, 200, 'behind a proxy');
  });
});

describe('other pages', () => {
  it('may not post', async t => {
    const server = await startExample(t);
    const json = { 'content-type': 'application/json' };
    const post = async (headers: Record<string, string>): Promise<number> =>
      (await server.ask(CAPTURE, { method: 'POST', headers: { ...json, ...headers }, body: '{}' })).status;
    const own = `http://127.0.0.1:${server.port}`;
    assert.equal(await post({}), 201, 'a program');
    assert.equal(await post({ origin: own }), 201);
    assert.equal(await post({ origin: own, 'sec-fetch-site': 'same-origin' }), 201);
    assert.equal(await post({ origin: 'https://oakum.example.com', 'sec-fetch-site': 'same-origin' }), 201, 'a proxy');
    for (const origin of ['http://evil.com', 'null', `http://127.0.0.1:${server.port + 1}`, 'file://', 'x', '']) {
      assert.equal(await post({ origin }), 403, origin);
    }
    for (const site of ['cross-site', 'same-site', 'none', 'nonsense']) {
      assert.equal(await post({ origin: own, 'sec-fetch-site': site }), 403, site);
    }
  });

  it('may link here, and read nothing', async t => {
    const { ask } = await startExample(t);
    const from = (site: string, mode: string) => ({ headers: { 'sec-fetch-site': site, 'sec-fetch-mode': mode } });
    assert.equal((await ask('/', from('cross-site', 'navigate'))).status, 200);
    assert.equal((await ask('/api/v1/incidents/i-1/bundle', from('cross-site', 'navigate'))).status, 200);
    for (const site of ['cross-site', 'same-site']) {
      for (const mode of ['cors', 'no-cors', 'same-origin']) {
        assert.equal((await ask('/api/v1/status', from(site, mode))).status, 403, `${site} ${mode}`);
        assert.equal((await ask('/api/v1/events', from(site, mode))).status, 403, `${site} ${mode}`);
      }
    }
    assert.equal((await ask('/api/v1/status', from('same-origin', 'cors'))).status, 200);
    assert.equal((await ask('/api/v1/status', from('none', 'navigate'))).status, 200);
  });
});

describe('a token', () => {
  const PROTECTED = [
    '/',
    '/t/node/worker-1',
    '/assets/main-4QX7ZJ2K.js',
    '/api/v1/status',
    '/api/v1/events',
    '/metrics',
  ];

  it('opens everything, as a bearer or as the cookie of a login', async t => {
    const server = await startExample(t, { token: TOKEN });
    const cookie = await login(server);
    for (const path of PROTECTED) {
      const statusWith = async (headers: Record<string, string>): Promise<number> =>
        (await server.ask(path, { method: path.endsWith('/events') ? 'HEAD' : 'GET', headers })).status;
      assert.equal(await statusWith({ authorization: `Bearer ${TOKEN}` }), 200, path);
      assert.equal(await statusWith({ authorization: `bearer ${TOKEN}` }), 200, path);
      assert.equal(await statusWith({ cookie }), 200, path);
      assert.equal(await statusWith({ cookie: `a=b; ${cookie}; c=d` }), 200, path);
      // Too many guesses are slowed down.
      for (const wrong of WRONG(cookie))
        assert.ok([401, 429].includes(await statusWith(wrong)), `${path} ${JSON.stringify(wrong)}`);
    }
    for (const path of ['/healthz', '/readyz']) assert.equal((await server.ask(path)).status, 200, path);
  });

  const WRONG = (cookie: string): Record<string, string>[] => [
    {},
    { authorization: 'Bearer ' },
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: `Bearer ${TOKEN.slice(0, -1)}` },
    { authorization: `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}` },
    { authorization: TOKEN },
    // A wrong bearer is not mended by a cookie.
    { authorization: 'Bearer wrong', cookie },
    { cookie: `${cookie.split('=')[0]}=${TOKEN}` },
    { cookie: `${cookie.slice(0, -1)}` },
    { cookie: `x${cookie}` },
    { cookie: '=;;=' },
  ];

  it('is asked for in the way the client reads', async t => {
    const { ask } = await startExample(t, { token: TOKEN });
    const page = await ask('/t/node/worker-1', { headers: { accept: 'text/html,*/*' } });
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(page.text, /This server needs a token/);
    const program = await ask('/api/v1/status', { headers: { accept: 'text/html' } });
    assert.equal(errorOf(program).error, 'This server needs a token.');
    assert.equal(program.headers['www-authenticate'], 'Bearer realm="oakum"');
    assert.doesNotMatch(program.text + page.text, new RegExp(TOKEN));
  });

  it('makes a cookie that scripts and other sites do not get, and that is not the token', async t => {
    const server = await startExample(t, { token: TOKEN });
    const answer = await server.ask(`/login?token=${TOKEN}`);
    const [cookie] = answer.headers['set-cookie'] ?? [];
    assert.match(cookie, /^oakum_[0-9a-f]{8}=[0-9a-f]{64}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    assert.ok(!cookie.includes(TOKEN));
    const other = await startExample(t, { token: `${TOKEN}2` });
    const [otherCookie] = (await other.ask(`/login?token=${TOKEN}2`)).headers['set-cookie'] ?? [];
    assert.notEqual(cookie.split('=')[0], otherCookie.split('=')[0], 'two servers of one host');
    for (const token of ['', 'x', `${TOKEN}x`, TOKEN.toUpperCase()]) {
      const refused = await server.ask(`/login?token=${token}`);
      assert.deepEqual([refused.status, refused.headers['set-cookie']], [401, undefined]);
    }
    assert.equal((await server.ask(`/api/v1/status?token=${TOKEN}`)).status, 401, 'not in other URLs');
  });

  it('leads on to a page of this server and of no other', async t => {
    const server = await startExample(t, { token: TOKEN });
    const goal = async (to: string): Promise<string> => {
      const { text } = await server.ask(`/login?token=${TOKEN}&to=${encodeURIComponent(to)}`);
      return /url=([^"]*)"/.exec(text)?.[1] ?? '';
    };
    assert.equal(await goal('/p/ab12?tab=top'), '/p/ab12?tab=top');
    assert.equal(await goal('/compare?a=1&b=2'), '/compare?a=1&#38;b=2');
    for (const evil of [
      '//evil.com',
      '/\\evil.com',
      'http://evil.com',
      'javascript:alert(1)',
      '',
      '/%09/evil.com\t',
      '/\t/evil.com',
      '/.//evil.com',
    ]) {
      assert.doesNotMatch(await goal(evil), /^\/\/|^\/\\|:|^$/, evil);
    }
    assert.doesNotMatch(await goal('/"><script>alert(1)</script>'), /[<>"]/);
    const open = await startExample(t);
    const { status, headers } = await open.ask('/login?to=/catalogue');
    assert.deepEqual([status, headers.location], [303, '/catalogue'], 'where no token is asked for');
  });
});

async function login(server: ExampleServer): Promise<string> {
  const [cookie] = (await server.ask(`/login?token=${TOKEN}`)).headers['set-cookie'] ?? [];
  return cookie.split(';')[0];
}
