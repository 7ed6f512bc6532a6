/** The contract of every TargetConnection. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { decodeText } from '../../src/base/text.ts';
import type { Answer, NoAnswer, Reply } from '../../src/live/reply.ts';
import type { RequestLimits, TargetConnection } from '../../src/live/ports.ts';
import { DATE_SECONDS } from './moody-server.ts';

export interface OpenedConnection {
  /** A connection to a moody server. */
  readonly connection: TargetConnection;
  /** Afterwards nothing answers any more. */
  readonly close: () => Promise<void>;
}

export interface ConnectionImplementation {
  readonly name: string;
  readonly target: RegExp;
  readonly via: TargetConnection['via'];
  /** The credentials that the server sees. */
  readonly authorization: string;
  open(): Promise<OpenedConnection>;
}

const LIMITS: RequestLimits = { deadlineSeconds: 3600, maxBytes: 100_000 };

export function targetConnectionContract(implementation: ConnectionImplementation): void {
  describe(`TargetConnection: ${implementation.name}`, { concurrency: true }, () => {
    let opened: OpenedConnection;
    before(async () => void (opened = await implementation.open()));
    after(() => opened.close());
    const get = (path: string, limits: Partial<RequestLimits> = {}): Promise<Reply> =>
      opened.connection.get(path, { ...LIMITS, ...limits });

    it('describes its target and the way to it', () => {
      const { target, via, address } = opened.connection;
      assert.match(target, implementation.target);
      assert.equal(via, implementation.via);
      assert.notEqual(address, '');
    });

    it('returns the answer with its headers, its times and its whole body', async () => {
      const before = Date.now() / 1000;
      const reply = answer(await get('/echo?debug=1&x=a%20b', { accept: 'text/x' }));
      assert.equal(decodeText(reply.body), `GET /echo?debug=1&x=a%20b text/x by ${implementation.authorization}`);
      assert.deepEqual([reply.status, reply.headers['x-mood'], reply.cut], [200, 'good', undefined]);
      assert.equal(reply.dateSeconds, DATE_SECONDS);
      assert.ok(reply.headAtSeconds >= before - 0.01 && reply.headAtSeconds <= Date.now() / 1000);
      assert.ok(reply.tookSeconds >= 0);
    });

    it('can send no credentials', async () => {
      const reply = answer(await get('/echo', { withoutCredentials: true }));
      assert.equal(decodeText(reply.body), 'GET /echo */* by nobody');
    });

    it('returns every status as an answer, and follows no redirect', async () => {
      for (const status of [204, 401, 403, 404, 418, 500, 503])
        assert.equal(answer(await get(`/status/${status}`)).status, status);
      assert.equal(answer(await get('/redirect')).status, 302);
    });

    it('reads no more than requested', async () => {
      const { cut, body } = answer(await get('/endless', { maxBytes: 70_000 }));
      assert.deepEqual([cut?.why, body.length], ['too-large', 70_000]);
    });

    it('keeps what arrived before the connection broke', async () => {
      const { cut, body } = answer(await get('/cut'));
      assert.deepEqual([cut?.why, body.length], ['connection', 100]);
      assert.equal(noAnswer(await get('/reset')).kind, 'reset');
    });

    it('ends at the deadline, with what has arrived', async () => {
      let hanging = noAnswer(await get('/hang', { deadlineSeconds: 0.2 }));
      for (let seconds = 0.4; hanging.kind === 'credentials'; seconds *= 2)
        hanging = noAnswer(await get('/hang', { deadlineSeconds: seconds }));
      assert.equal(hanging.kind, 'timeout');
      // A busy machine needs longer to read the credentials, and before the body begins.
      let reply = await get('/drip', { deadlineSeconds: 0.2 });
      for (let seconds = 0.4; reply.kind !== 'answer' || reply.body.length === 0; seconds *= 2) {
        assert.ok(reply.kind === 'answer' || reply.kind === 'timeout' || reply.kind === 'credentials', reply.kind);
        reply = await get('/drip', { deadlineSeconds: seconds });
      }
      assert.equal(answer(reply).cut?.why, 'deadline');
    });

    it('ends when the signal aborts, and removes its listener', async () => {
      const stop = new AbortController();
      const hanging = get('/hang', { signal: stop.signal });
      const dripping = get('/drip', { signal: stop.signal });
      await get('/echo', { signal: stop.signal });
      setTimeout(() => stop.abort(), 300);
      assert.equal(noAnswer(await hanging).kind, 'stopped');
      const dripped = await dripping;
      assert.equal(dripped.kind === 'answer' ? dripped.cut?.why : dripped.kind, 'stopped');
      assert.equal(noAnswer(await get('/echo', { signal: stop.signal })).kind, 'stopped', 'aborted before');
      assert.deepEqual(getEventListeners(stop.signal, 'abort'), []);
    });

    it('reports that nothing answers once the target is gone', async () => {
      const gone = await implementation.open();
      await gone.close();
      const { kind, message } = noAnswer(await gone.connection.get('/echo', LIMITS));
      assert.ok(['refused', 'socket', 'reset'].includes(kind), kind);
      assert.notEqual(message, '');
    });
  });
}

export function answer(reply: Reply): Answer {
  assert.equal(reply.kind, 'answer', JSON.stringify(reply));
  return reply as Answer;
}

export function noAnswer(reply: Reply): NoAnswer {
  assert.notEqual(reply.kind, 'answer');
  return reply as NoAnswer;
}
