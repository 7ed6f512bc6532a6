/** The contract of every MetricsHistory, tested with a server that answers with the request. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseJson, recordOf } from '../../src/base/json.ts';
import { decodeText } from '../../src/base/text.ts';
import type { Reply } from '../../src/live/reply.ts';
import { answer, noAnswer } from './target-connection-contract.ts';
import type { MetricsHistory } from '../../src/live/ports.ts';

export interface OpenedHistory {
  /** A server that `echoServer` made. */
  readonly history: MetricsHistory;
  readonly close: () => Promise<void>;
}

export interface HistoryImplementation {
  readonly name: string;
  /** The credentials that the server sees. */
  readonly authorization: string;
  open(): Promise<OpenedHistory>;
}

/** Thanos answers once for replicas, and fails instead of leaving gaps. */
const WHOLE = { dedup: 'true', partial_response: 'false' };
const LIMITS = { deadlineSeconds: 3600, maxBytes: 10_000 };

export function metricsHistoryContract({ name, authorization, open }: HistoryImplementation): void {
  describe(`MetricsHistory: ${name}`, () => {
    let opened: OpenedHistory;
    before(async () => void (opened = await open()));
    after(() => opened.close());

    it('has an address for messages', () => {
      assert.match(opened.history.address, /^https?:\/\/127\.0\.0\.1:\d+$/);
    });

    it('queries the values now, and at another time', async () => {
      const query = 'sum by (job) (up{job=~"a b|ä+"})';
      const now = echoed(await opened.history.instant(query, LIMITS));
      assert.deepEqual(now, { endpoint: 'query', query, authorization, ...WHOLE });
      const then = echoed(await opened.history.instant(query, LIMITS, 1_794_772_000.5));
      assert.deepEqual(then, { endpoint: 'query', query, time: '1794772000.5', authorization, ...WHOLE });
    });

    it('queries a range in steps', async () => {
      const request = { query: 'up', fromSeconds: 10, toSeconds: 20.25, stepSeconds: 5 };
      const received = echoed(await opened.history.range(request, LIMITS));
      assert.deepEqual(received, {
        endpoint: 'query_range',
        query: 'up',
        start: '10',
        end: '20.25',
        step: '5',
        authorization,
        ...WHOLE,
      });
    });

    it('returns a refusal of the server as an answer', async () => {
      const { status, body } = answer(await opened.history.instant('refuse', LIMITS));
      assert.deepEqual([status, decodeText(body)], [422, '{"status":"error"}']);
    });

    it('enforces the limits of each request', async () => {
      const { cut, body } = answer(await opened.history.instant('x'.repeat(200), { ...LIMITS, maxBytes: 100 }));
      assert.deepEqual([cut?.why, body.length], ['too-large', 100]);
      const hanging = await opened.history.instant('hang', { ...LIMITS, deadlineSeconds: 1 });
      assert.equal(noAnswer(hanging).kind, 'timeout');
      const signal = AbortSignal.abort();
      const request = { query: 'up', fromSeconds: 1, toSeconds: 2, stepSeconds: 1 };
      assert.equal(noAnswer(await opened.history.range(request, { ...LIMITS, signal })).kind, 'stopped');
    });
  });
}

function echoed(reply: Reply): unknown {
  const { status, body } = answer(reply);
  assert.equal(status, 200);
  return recordOf(parseJson(decodeText(body)));
}
