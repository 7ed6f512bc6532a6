/** Bounds that hold whatever clients do. They are counts, so no slow machine changes them. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { ask, startExample } from '../../../test/double/example-server.ts';
import { until } from '../../../test/until.ts';
import { CONNECTION_LIMITS, LimitedConnections } from './connection-limits.ts';
import { LoginThrottle } from './login.ts';

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

describe('connections', () => {
  it('that say nothing make room for one that asks', async t => {
    const { port } = await startExample(t, { connectionLimits: { maxConnections: 20, maxPerAddress: 20 } });
    const silent: Socket[] = [];
    t.after(() => silent.forEach(socket => socket.destroy()));
    let ended = 0;
    for (let i = 0; i < 40; i++) {
      const socket = await open(port);
      socket
        .on('error', () => undefined)
        .once('close', () => ended++)
        .resume();
      silent.push(socket);
    }
    assert.equal((await ask(port, '/healthz')).status, 200);
    await until(() => ended >= 20);
  });

  it('that say nothing for too long are ended', async t => {
    const { port } = await startExample(t, { connectionLimits: { firstByteMs: 50 } });
    const socket = await open(port);
    socket.resume();
    await new Promise(resolve => socket.once('close', resolve));
  });

  it('that are all busy leave room for probes, and for nothing else', async t => {
    let asked = 0;
    const changes = { profile: () => (asked++, new Promise<undefined>(() => undefined)) };
    const { port } = await startExample(t, {
      changes,
      connectionLimits: { maxConnections: 3, maxPerAddress: 3, probeConnections: 2 },
    });
    const busy = await Promise.all([1, 2, 3].map(() => open(port)));
    t.after(() => busy.forEach(socket => socket.destroy()));
    const path = `/api/v1/profiles/${'ab'.repeat(32)}`;
    for (const socket of busy) socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await until(() => asked === 3);
    assert.equal((await ask(port, '/api/v1/catalogue')).status, 503);
    assert.equal((await ask(port, '/healthz')).status, 200);
  });

  it('as bearer or cookie are throttled too, and the right token is let in from the same address', async t => {
    const token = 'a-token-of-its-own';
    const { port } = await startExample(t, { token });
    const bearer = (given: string) => ask(port, '/api/v1/status', { headers: { authorization: `Bearer ${given}` } });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await bearer(`guess-number-${i}-of-many`)).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 429, 429]);
    assert.equal((await bearer(token)).status, 200);
    assert.notEqual((await ask(port, `/login?token=${token}`)).status, 429);
    assert.equal((await ask(port, '/api/v1/status')).status, 401, 'who gives none guesses none');
  });
});

describe('pipelined requests', () => {
  it('are answered one at a time, in order', async t => {
    let [running, most] = [0, 0];
    const changes = {
      profile: async () => {
        most = Math.max(most, ++running);
        await new Promise(resolve => setTimeout(resolve, 2));
        running--;
        return undefined;
      },
    };
    const { port } = await startExample(t, { changes });
    const socket = await open(port);
    const path = (i: number): string => `/api/v1/profiles/${String(i).repeat(64)}`;
    for (let i = 1; i <= 5; i++)
      socket.write(`GET ${path(i)} HTTP/1.1\r\nHost: localhost\r\n${i === 5 ? 'Connection: close\r\n' : ''}\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    assert.deepEqual(
      [...text.matchAll(/There is no file (\d)/g)].map(([, i]) => i),
      ['1', '2', '3', '4', '5'],
    );
    assert.equal(most, 1);
  });

  it('end the connection when they are too many', async t => {
    let asked = 0;
    const changes = { profile: () => (asked++, new Promise<undefined>(() => undefined)) };
    const { port } = await startExample(t, { changes });
    const socket = await open(port);
    socket.on('error', () => undefined).resume();
    socket.write(`GET /api/v1/profiles/${'ab'.repeat(32)} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(1000));
    await new Promise(resolve => socket.once('close', resolve));
    assert.ok(asked <= 1, `${asked} asked`);
    assert.equal((await ask(port, '/healthz')).status, 200);
  });

  it('are not even parsed once they are too many, whether or not there is room', async t => {
    for (const maxConnections of [512, 0]) {
      const limits = { ...CONNECTION_LIMITS, maxConnections };
      let parsed = 0;
      const server = createServer().on('request', () => parsed++);
      new LimitedConnections(limits, () => undefined).attach(server);
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      t.after(() => server.close());
      const socket = await open((server.address() as AddressInfo).port);
      socket.on('error', () => undefined).resume();
      socket.write('GET /api/v1/catalogue HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1000));
      await new Promise(resolve => socket.once('close', resolve));
      assert.ok(parsed >= 1 && parsed <= limits.maxWaiting + 2, `${parsed} of 1000 parsed, room for ${maxConnections}`);
    }
  });
});

describe('wrong tokens', () => {
  it('slow the address down, and are forgotten after a while', () => {
    let nowMs = 0;
    const throttle = new LoginThrottle(() => nowMs);
    const waits = Array.from({ length: 12 }, () => {
      throttle.failed('a');
      const seconds = throttle.waitSeconds('a');
      nowMs += seconds * 1000;
      return seconds;
    });
    assert.deepEqual(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
    assert.equal(throttle.waitSeconds('b'), 0);
    nowMs += 11 * 60_000;
    throttle.failed('a');
    assert.equal(throttle.waitSeconds('a'), 0);
  });

  it('at a login are refused with the time to wait; programs that have the token go on', async t => {
    const token = 'a token of its own'.replaceAll(' ', '-');
    const { port } = await startExample(t, { token });
    for (let i = 0; i < 4; i++) assert.equal((await ask(port, '/login?token=wrong')).status, 401);
    const answer = await ask(port, '/login?token=wrong');
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers['retry-after']) >= 1);
    assert.equal((await ask(port, '/api/v1/status', { headers: { authorization: `Bearer ${token}` } })).status, 200);
    assert.equal((await ask(port, '/healthz')).status, 200);
  });
});
