import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { WatchEvent } from '../watch-model.ts';
import { errorOf, startExample, type ExampleServer } from '../../../test/double/example-server.ts';
import { exampleService } from '../../../test/double/example-service.ts';
import { until } from '../../../test/until.ts';

interface Told {
  readonly id: string;
  readonly event: WatchEvent;
}

interface Follower {
  /** Everything that came, comments too. */
  readonly text: () => string;
  readonly told: () => Told[];
  readonly isEnded: () => boolean;
  readonly leave: () => void;
  readonly answer: IncomingMessage;
}

describe('the event stream', () => {
  it('begins with where things stand, then tells what the watch tells', async t => {
    const server = await startExample(t);
    const follower = await follow(t, server);
    assert.equal(follower.answer.headers['content-type'], 'text/event-stream; charset=utf-8');
    await until(() => follower.told().length === 2);
    assert.match(follower.text(), /^retry: 2000\n\n/);
    const { status } = exampleService();
    server.service.tell({ kind: 'incident', id: 'i-1', at: 7 });
    await until(() => follower.told().length === 3);
    assert.deepEqual(
      follower.told().map(({ event }) => event),
      [
        { kind: 'status', status: status() },
        { kind: 'fleet', at: status().now },
        { kind: 'incident', id: 'i-1', at: 7 },
      ],
    );
    assert.match(follower.text(), /\nevent: incident\ndata: \{"kind":"incident","id":"i-1","at":7\}\n\n$/);
  });

  it('gives one who comes back what was missed, and nothing twice', async t => {
    const server = await startExample(t);
    const first = await follow(t, server);
    await until(() => first.told().length === 2);
    server.service.tell({ kind: 'target', target: 'a', at: 1 });
    await until(() => first.told().length === 3);
    const lastId = first.told()[2].id;
    first.leave();
    server.service.tell({ kind: 'target', target: 'b', at: 2 });
    server.service.tell({ kind: 'incident', id: 'i-2', at: 3 });

    const again = await follow(t, server, { 'last-event-id': lastId });
    await until(() => again.told().length === 3);
    assert.deepEqual(
      again.told().map(({ event }) => event.kind),
      ['status', 'target', 'incident'],
    );
    const nothing = await follow(t, server, { 'last-event-id': again.told()[2].id });
    await until(() => nothing.told().length === 1);
    server.service.tell({ kind: 'fleet', at: 4 });
    await until(() => nothing.told().length === 2);
    assert.deepEqual(
      nothing.told().map(({ event }) => event.kind),
      ['status', 'fleet'],
    );
  });

  it('tells one who missed too much, or comes from another run, to look at everything', async t => {
    const server = await startExample(t, { eventLimits: { memory: 3 } });
    const first = await follow(t, server);
    await until(() => first.told().length === 2);
    const oldId = first.told()[1].id;
    for (let at = 0; at < 4; at++) server.service.tell({ kind: 'target', target: `t${at}`, at });
    for (const id of [oldId, 'other-1', 'nonsense', `${oldId.split('-')[0]}-999`, '-1', `${oldId}\u00e9`]) {
      const again = await follow(t, server, { 'last-event-id': id });
      await until(() => again.told().length === 2);
      assert.deepEqual(
        again.told().map(({ event }) => event.kind),
        ['status', 'fleet'],
        id,
      );
      again.leave();
    }
  });

  it('sends a heartbeat when there is no news', async t => {
    const server = await startExample(t, { eventLimits: { heartbeatMs: 20 } });
    const follower = await follow(t, server);
    await until(() => (follower.text().match(/^: beat$/gm) ?? []).length >= 3);
    assert.equal(follower.told().length, 2, 'a heartbeat is no event');
  });

  it('has room for so many readers, and again when one leaves', async t => {
    const server = await startExample(t, { eventLimits: { maxClients: 2 } });
    const first = await follow(t, server);
    await follow(t, server);
    const refused = await server.ask('/api/v1/events');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '30']);
    assert.equal(errorOf(refused).error, '2 pages follow this server already.');
    assert.equal((await server.ask('/api/v1/events', { method: 'HEAD' })).status, 200, 'HEAD takes no room');
    first.leave();
    await until(async () => (await metric(server, 'oakum_event_readers')) === 1);
    await follow(t, server);
    assert.equal(await metric(server, 'oakum_event_readers_refused_total'), 1);
  });

  it('drops a reader that does not read, and keeps the others', async t => {
    // The clock of the server stands still until the test moves it: no reader is slow by accident.
    t.mock.timers.enable({ apis: ['Date', 'setInterval'] });
    const server = await startExample(t, { eventLimits: { heartbeatMs: 1000, patienceMs: 1000 } });
    const healthy = await follow(t, server);
    // It asks, and never reads what comes.
    const slow = connect(server.port, '127.0.0.1');
    t.after(() => slow.destroy());
    slow.pause();
    slow.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(async () => (await metric(server, 'oakum_event_readers')) === 2);
    // More than the buffers between the two hold.
    const status = { ...exampleService().status(), cluster: 'x'.repeat(256 * 1024) };
    for (let at = 1; at <= 64; at++) {
      server.service.tell({ kind: 'status', status });
      server.service.tell({ kind: 'fleet', at });
      await until(() => healthy.text().endsWith(`data: {"kind":"fleet","at":${at}}\n\n`));
    }
    assert.equal(await metric(server, 'oakum_event_readers'), 2);
    t.mock.timers.tick(2000);
    assert.equal(await metric(server, 'oakum_event_readers_dropped_total'), 1);
    assert.equal(await metric(server, 'oakum_event_readers'), 1);
    assert.deepEqual(server.logged, [
      'a reader of the event stream was too slow and was disconnected; it may reconnect',
    ]);
    const before = healthy.told().length;
    server.service.tell({ kind: 'fleet', at: 65 });
    await until(() => healthy.told().length > before);
    assert.equal(healthy.isEnded(), false);
  });

  it('keeps only the newest of each subject for a reader that is behind', async t => {
    const server = await startExample(t);
    const follower = await follow(t, server);
    await until(() => follower.told().length === 2);
    // All in one turn: nothing can be sent between them.
    for (let at = 1; at <= 1000; at++) server.service.tell({ kind: 'target', target: `t${at % 2}`, at });
    await until(() => follower.told().some(({ event }) => event.kind === 'target' && event.at === 1000));
    const later = follower.told().slice(2);
    assert.ok(later.length <= 4, `${later.length} events`);
    assert.deepEqual(
      later.slice(-2).map(({ event }) => ('at' in event ? event.at : 0)),
      [999, 1000],
    );
  });
});

function follow(
  t: TestContext,
  server: ExampleServer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Follower> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.port, path: '/api/v1/events', headers, agent: false });
    t.after(() => sent.destroy());
    sent.on('error', reject);
    sent.on('response', answer => {
      let text = '';
      let ended = false;
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('close', () => (ended = true));
      answer.on('error', () => undefined);
      const told = (): Told[] =>
        Array.from(text.matchAll(/^id: (.*)\nevent: .*\ndata: (.*)\n\n/gm), ([, id, data]) => ({
          id,
          event: JSON.parse(data) as WatchEvent,
        }));
      resolve({ text: () => text, told, isEnded: () => ended, leave: () => void sent.destroy(), answer });
    });
    sent.end();
  });
}

async function metric(server: ExampleServer, name: string): Promise<number> {
  const { text } = await server.ask('/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}
