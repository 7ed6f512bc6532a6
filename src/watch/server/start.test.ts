import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { EXAMPLE_SHA256 } from '../../../test/double/example-service.ts';
import { ask, startExample } from '../../../test/double/example-server.ts';
import { CannotServe } from './start.ts';

const TOKEN = 'correct-horse-battery';

describe('starting the server', () => {
  it('listens on this machine without a token, elsewhere only with one', async t => {
    await startExample(t, { host: 'localhost' });
    await assert.rejects(startExample(t, { host: '0' }), {
      name: 'CannotServe',
      message:
        'others can reach 0, so a token is needed to listen there: --listen-token-file FILE; or listen on localhost',
    });
    await startExample(t, { host: '0.0.0.0', token: TOKEN });
  });

  it('refuses a token that can be guessed or cannot be sent', async t => {
    for (const token of ['', 'short', 'has a space in it ok', 'ümläut-ümläut-ümläut', 'line\nfeed-line-feed-line']) {
      await assert.rejects(startExample(t, { token }), CannotServe, token);
    }
  });

  it('says what is wrong with the address', async t => {
    const { port } = await startExample(t);
    await assert.rejects(startExample(t, { port }), {
      message: `127.0.0.1:${port} is in use by another process; choose another port`,
    });
    await assert.rejects(startExample(t, { host: 'no-such-host.invalid' }), {
      message: 'no-such-host.invalid is not an address of this machine',
    });
    await assert.rejects(startExample(t, { host: '192.0.2.1', token: TOKEN }), {
      message: '192.0.2.1 is not an address of this machine',
    });
  });

  it('works without a built UI, and says so', async t => {
    const server = await startExample(t, { webFolder: '/nowhere' });
    assert.match(server.logged[0], /^no web UI at \/nowhere/);
    assert.equal((await server.ask('/')).status, 503);
    assert.equal((await server.ask('/api/v1/status')).status, 200);
  });

  it('does not keep anything of a service it could not serve', async t => {
    const { port } = await startExample(t);
    let subscribed = 0;
    const changes = { subscribe: () => (subscribed++, () => undefined) };
    await assert.rejects(startExample(t, { port, changes }), CannotServe);
    assert.equal(subscribed, 0);
  });
});

describe('stopping the server', () => {
  it('lets the answer under way end, ends streams, and listens no more', async t => {
    let release = (): void => undefined;
    const waiting = new Promise<void>(resolve => (release = resolve));
    const changes = { profile: async () => (await waiting, new Uint8Array([1])) };
    const server = await startExample(t, { changes });
    const slow = server.ask(`/api/v1/profiles/${EXAMPLE_SHA256}`);
    const stream = server.ask('/api/v1/events');
    while (server.service.listenerCount() !== 1 || !(await readers(server.port)).includes(' 1\n')) await turn();

    const stopped = server.stop();
    assert.equal(server.stop(), stopped, 'twice is once');
    assert.match((await stream).text, /event: status/);
    assert.equal(server.service.listenerCount(), 0);
    await assert.rejects(ask(server.port, '/healthz'), { code: 'ECONNREFUSED' });
    release();
    assert.equal((await slow).status, 200);
    await stopped;
  });

  it('does not wait for connections on which nothing is asked', async t => {
    const server = await startExample(t);
    const idle = connect(server.port, '127.0.0.1');
    await new Promise(resolve => idle.once('connect', resolve));
    // The time after which it would not wait any longer never comes.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    await server.stop();
    idle.destroy();
  });
});

async function readers(port: number): Promise<string> {
  const { text } = await ask(port, '/metrics');
  return /^oakum_event_readers \d+\n/m.exec(text)?.[0] ?? '';
}

function turn(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 5));
}
