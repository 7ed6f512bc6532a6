import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../../base/text.ts';
import { recordOf, textOf } from '../../../base/json.ts';
import type { ClusterConnection } from '../../ports.ts';
import type { Reply } from '../../reply.ts';
import { watchObjects } from './watch-objects.ts';

const node = (name: string, version = '1'): object => ({ metadata: { name, resourceVersion: version } });

function json(body: unknown, status = 200): Reply {
  return raw(JSON.stringify(body), status);
}

function raw(text: string, status = 200): Reply {
  return {
    kind: 'answer',
    status,
    headers: {},
    body: encodeText(text),
    cut: undefined,
    headAtSeconds: 0,
    dateSeconds: undefined,
    tookSeconds: 0,
  };
}

const lines = (...changes: object[]): Reply => raw(changes.map(change => `${JSON.stringify(change)}\n`).join(''));

/** Plays the answers, and says what came of them. */
async function follow(...answers: Reply[]): Promise<{ requests: string[]; seen: string[]; pauses: number[] }> {
  const stop = new AbortController();
  const requests: string[] = [];
  const seen: string[] = [];
  const pauses: number[] = [];
  const cluster: ClusterConnection = {
    context: 'test',
    address: 'https://test',
    namespace: 'default',
    async get(path) {
      requests.push(path.replace('/api/v1/nodes', ''));
      const answer = answers.shift();
      if (answers.length === 0) stop.abort();
      return answer ?? { kind: 'stopped', message: '', tls: undefined, tookSeconds: 0 };
    },
    post: () => Promise.reject(new Error('nothing is changed')),
  };
  await watchObjects(
    cluster,
    '/api/v1/nodes',
    {
      changed: object => seen.push(`+${textOf(recordOf(object['metadata'])['name'])}`),
      removed: name => seen.push(`-${name}`),
      answered: () => {},
      failed: reply => seen.push(`!${reply.kind === 'answer' ? reply.status : reply.kind}`),
    },
    { sleep: async seconds => void pauses.push(seconds), random: () => 0.5, watchSeconds: 20 },
    stop.signal,
  );
  return { requests, seen, pauses };
}

describe('objects of a cluster', () => {
  it('are listed in pages, then followed from there', async () => {
    const { requests, seen } = await follow(
      json({ metadata: { continue: 'next', resourceVersion: '7' }, items: [node('a')] }),
      json({ metadata: { resourceVersion: '7' }, items: [node('b')] }),
      lines(
        { type: 'ADDED', object: node('c', '8') },
        { type: 'DELETED', object: node('a', '9') },
        { type: 'BOOKMARK', object: { metadata: { resourceVersion: '12' } } },
      ),
      lines({ type: 'MODIFIED', object: node('b', '13') }),
      lines(),
    );
    assert.deepEqual(seen, ['+a', '+b', '+c', '-a', '+b']);
    assert.equal(requests[0], '?limit=500');
    assert.equal(requests[1], '?limit=500&continue=next');
    assert.match(requests[2], /watch=1&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=20/);
    assert.match(requests[3], /resourceVersion=12/);
    assert.match(requests[4], /resourceVersion=13/);
  });

  it('are listed anew when the version is too old, and what is gone is told', async () => {
    for (const gone of [json({}, 410), lines({ type: 'ERROR', object: { code: 410 } })]) {
      const { seen, requests } = await follow(
        json({ metadata: { resourceVersion: '7' }, items: [node('a'), node('b')] }),
        gone,
        json({ metadata: { resourceVersion: '90' }, items: [node('b')] }),
        lines(),
      );
      assert.deepEqual(seen, ['+a', '+b', '+b', '-a']);
      assert.match(requests[3], /resourceVersion=90/);
    }
  });

  it('are asked for again after a failure, later each time', async () => {
    const dead: Reply = { kind: 'refused', message: '', tls: undefined, tookSeconds: 0 };
    const { seen, pauses } = await follow(
      dead,
      json({}, 403),
      raw('no json'),
      json({ metadata: { resourceVersion: '7' }, items: [node('a')] }),
      dead,
      lines(),
    );
    assert.deepEqual(seen, ['!refused', '!403', '!200', '+a', '!refused']);
    assert.deepEqual(pauses, [1, 2, 4, 1]);
  });

  it('survive an answer that ends in the middle of a line', async () => {
    const whole = JSON.stringify({ type: 'ADDED', object: node('c', '8') });
    const cut: Reply = {
      ...(raw(`${whole}\n${whole.slice(0, 20)}`) as Extract<Reply, { kind: 'answer' }>),
      cut: { why: 'connection', message: '' },
    };
    const { seen, requests } = await follow(json({ metadata: { resourceVersion: '7' }, items: [] }), cut, lines());
    assert.deepEqual(seen, ['+c']);
    assert.match(requests[2], /resourceVersion=8/);
  });
});
