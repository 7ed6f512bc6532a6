import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withEnoughTime } from '../../../test/until.ts';
import { httpSender } from './send-request.ts';
import type { Endpoint } from '../ports.ts';

describe('requests under one long-lived signal', () => {
  let server: Server;
  let endpoint: Endpoint;
  before(async () => {
    server = createServer((request, response) => void (request.url === '/hang' || response.end('ok')));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    endpoint = { base: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), tls: {} };
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const get = (path: string, signal: AbortSignal, deadlineSeconds = 3600) =>
    httpSender({})(endpoint, { method: 'GET', path }, { deadlineSeconds, maxBytes: 1000, signal });

  it('leave nothing behind in it: a watch makes millions', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { signal } = new AbortController();
    const ask = async (count: number): Promise<number> => {
      for (let i = 0; i < count; i += 20) await Promise.all(Array.from({ length: 20 }, () => get('/', signal)));
      collect();
      return process.memoryUsage().heapUsed;
    };
    const warm = await ask(1000);
    const growth = (await ask(2000)) - warm;
    assert.ok(growth / 2000 < 400, `${Math.round(growth / 2000)} B stay behind of each`);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('may be many at once without a warning', async () => {
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', warned);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => get('/', signal)));
    await new Promise(resolve => setImmediate(resolve));
    process.off('warning', warned);
    assert.deepEqual(warnings, []);
  });

  it('end with it, or at their deadline, and say which', async () => {
    const stop = new AbortController();
    const hanging = get('/hang', stop.signal);
    setTimeout(() => stop.abort(), 50);
    assert.equal((await hanging).kind, 'stopped');
    assert.equal((await get('/', stop.signal)).kind, 'stopped', 'at once');
    assert.equal((await get('/hang', new AbortController().signal, 0.05)).kind, 'timeout');
  });

  it('that time out say whether they were sent', async () => {
    const wasSent = async (base: string, factor: number): Promise<unknown> => {
      const limits = { deadlineSeconds: 0.05 * factor, maxBytes: 1000 };
      const reply = await httpSender({})({ base: new URL(base), tls: {} }, { method: 'GET', path: '/hang' }, limits);
      assert.equal(reply.kind, 'timeout');
      return reply.kind === 'timeout' && reply.wasSent;
    };
    await withEnoughTime(async factor => assert.equal(await wasSent(endpoint.base.href, factor), true));
    // It accepts the connection and never agrees on TLS.
    const silent = createTcpServer(socket => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      assert.equal(await wasSent(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`, 1), false);
    } finally {
      silent.close();
    }
  });

  it('whose credentials do not come in time blame the credentials', async () => {
    const credentials = (): Promise<never> => new Promise(() => {});
    const limits = { deadlineSeconds: 0.05, maxBytes: 1000 };
    const reply = await httpSender({})({ ...endpoint, credentials }, { method: 'GET', path: '/' }, limits);
    assert.equal(reply.kind, 'credentials');
  });
});
