import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { Reply } from '../reply.ts';
import { httpSender } from './send-request.ts';
import { TlsSessions } from './tls-sessions.ts';
import type { Credentials, Endpoint } from '../ports.ts';

/** However slow the machine is. */
const LONG_MILLISECONDS = 600_000;
const folder = mkdtempSync(join(tmpdir(), 'oakum-tls-'));

interface Pair {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Undefined without openssl. */
function makePair(name: string): Pair | undefined {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  try {
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

const pairs = [makePair('one'), makePair('other')].filter(pair => pair !== undefined);
const [one, other] = pairs;

describe('TLS sessions', { skip: one === undefined && 'openssl is not here' }, () => {
  let server: Server;
  /** For each connection, whether it went on with an earlier session. */
  const resumed: boolean[] = [];
  before(async () => {
    server = createServer({ ...one, requestCert: true, rejectUnauthorized: false }, (_, response) =>
      response.end('ok'),
    );
    server.keepAliveTimeout = LONG_MILLISECONDS;
    server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const endpoint = (credentials: Partial<Credentials>, tls: Endpoint['tls'] = {}): Endpoint => ({
    base: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    tls,
    credentials: async () => ({ headers: {}, ...credentials }),
  });
  /** `resumed` or `new`, or what went wrong. */
  const get = async (sessions: TlsSessions, to: Endpoint): Promise<string> => {
    const count = resumed.length;
    const reply: Reply = await httpSender({}, sessions)(
      to,
      { method: 'GET', path: '/' },
      { deadlineSeconds: 60, maxBytes: 100 },
    );
    if (reply.kind !== 'answer') return reply.kind;
    assert.equal(reply.status, 200);
    return resumed.slice(count).join() === 'true' ? 'resumed' : 'new';
  };

  it('go on from one connection to the next', async () => {
    const sessions = new TlsSessions();
    const trusting = endpoint({ ca: one?.cert ?? '' });
    assert.deepEqual(
      [
        await get(sessions, trusting),
        await get(sessions, trusting),
        await get(sessions, endpoint({ ca: one?.cert ?? '' })),
      ],
      ['new', 'resumed', 'resumed'],
    );
    assert.equal(await get(new TlsSessions(), trusting), 'new');
  });

  it('are not shared by those who trust others, check nothing, or are somebody else', async () => {
    const sessions = new TlsSessions();
    const ca = one?.cert ?? '';
    assert.equal(await get(sessions, endpoint({ ca })), 'new');
    assert.equal(await get(sessions, endpoint({ ca: other?.cert ?? '' })), 'tls', 'it does not trust the server');
    assert.equal(await get(sessions, endpoint({})), 'tls');
    assert.equal(await get(sessions, endpoint({ ca }, { insecure: true })), 'new');
    assert.equal(await get(sessions, endpoint({ ca }, { serverName: 'elsewhere' })), 'tls');
    assert.equal(await get(sessions, endpoint({ ca, cert: other?.cert ?? '', key: other?.key ?? '' })), 'new');
    // What was accepted unchecked is no proof for those who check.
    assert.equal(await get(sessions, endpoint({}, { insecure: true })), 'new');
    assert.equal(await get(sessions, endpoint({})), 'tls');
    assert.equal(await get(sessions, endpoint({ ca })), 'resumed');
  });

  describe('and connections, for requests that may use them again', () => {
    /** How many connections the server got for it. */
    const opened = async (sessions: TlsSessions, to: Endpoint, mayReuse = true): Promise<number | string> => {
      const count = resumed.length;
      const reply = await httpSender({}, sessions)(
        to,
        { method: 'GET', path: '/' },
        { deadlineSeconds: 60, maxBytes: 100, mayReuse },
      );
      return reply.kind === 'answer' ? resumed.length - count : reply.kind;
    };

    it('are used again by whoever has the same rights, and by nobody else', async () => {
      const sessions = new TlsSessions(LONG_MILLISECONDS);
      const ca = one?.cert ?? '';
      assert.equal(await opened(sessions, endpoint({ ca })), 1);
      for (let i = 0; i < 20; i++) assert.equal(await opened(sessions, endpoint({ ca })), 0);
      assert.equal(await opened(sessions, endpoint({ ca }), false), 1, 'it may not');
      assert.equal(await opened(sessions, endpoint({ ca, cert: other?.cert ?? '', key: other?.key ?? '' })), 1);
      assert.equal(await opened(sessions, endpoint({})), 'tls');
      assert.equal(await opened(sessions, endpoint({ ca }, { serverName: 'elsewhere' })), 'tls');
      assert.equal(await opened(sessions, endpoint({ ca }, { insecure: true })), 1);
      assert.equal(await opened(sessions, endpoint({ ca })), 0);
    });

    it('are opened anew if the server has closed them', async () => {
      const sessions = new TlsSessions(LONG_MILLISECONDS);
      const to = endpoint({ ca: one?.cert ?? '' });
      assert.equal(await opened(sessions, to), 1);
      server.closeAllConnections();
      // The client has not heard of it yet; what it opens instead is for this request alone.
      assert.equal(await opened(sessions, to), 1);
      assert.equal(await opened(sessions, to), 1);
      assert.equal(await opened(sessions, to), 0);
    });
  });

  it('say what is wrong with a certificate of the client', async () => {
    const reply = await httpSender({}, new TlsSessions())(
      endpoint({ ca: one?.cert ?? '', cert: 'not PEM', key: 'not PEM' }),
      { method: 'GET', path: '/' },
      { deadlineSeconds: 60, maxBytes: 100 },
    );
    assert.notEqual(reply.kind, 'answer');
  });
});
