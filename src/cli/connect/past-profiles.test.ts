/** Doubles that speak the documented protocols of Pyroscope and Parca; the real servers were not asked. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { decodeText } from '../../base/text.ts';
import { run } from '../run.ts';

const LEAKING = new URL('../../../test/fixtures/captures/leakdemo/go1.19/', import.meta.url);
const profile = (kind: string): Uint8Array => gunzipSync(readFileSync(new URL(`t3/${kind}.debug0.pb.gz`, LEAKING)));

type Answer = (path: string, body: Uint8Array, request: IncomingMessage) => object | Uint8Array | undefined;

async function serve(t: TestContext, answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const found = answer(request.url ?? '', Buffer.concat(chunks), request);
    if (found === undefined) response.writeHead(404).end('{"code":"unimplemented"}');
    else response.end(found instanceof Uint8Array ? found : JSON.stringify(found));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function analyze(...args: string[]) {
  const io = memoryIo();
  const code = await run(['analyze', ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe('Pyroscope', () => {
  it('gives heap and goroutine profiles of each process, and never a sum of several', async t => {
    const asked: string[] = [];
    const windows: string[] = [];
    const now = Math.floor(Date.now() / 15_000) * 15_000;
    const url = await serve(t, (path, body, { headers }) => {
      const method = path.replace('/querier.v1.QuerierService/', '');
      asked.push(method);
      assert.equal(headers['x-scope-orgid'], 'team');
      if (method === 'SelectMergeProfile') {
        assert.equal(headers['content-type'], 'application/proto');
        const text = decodeText(body);
        windows.push(text.includes('goroutine') ? 'goroutine' : 'heap');
        return profile(text.includes('goroutine:') ? 'goroutine' : 'heap');
      }
      const request = JSON.parse(decodeText(body));
      if (method === 'Series') {
        assert.deepEqual(request.matchers, ['{service_name="kcp"}']);
        return { labelsSet: [{ labels: [{ name: 'pod', value: 'kcp-0' }] }] };
      }
      assert.equal(request.labelSelector, '{service_name="kcp",pod="kcp-0"}');
      const isSum = request.aggregation === 'TIME_SERIES_AGGREGATION_TYPE_SUM';
      // The second window has two profiles.
      const points = [0, 1, 2].map(i => ({
        timestamp: String(now - (3 - i) * 600_000),
        value: i === 1 && isSum ? 200 : 100,
      }));
      return { series: [{ labels: [], points }] };
    });
    const { code, out, err } = await analyze(
      '--pyroscope',
      url,
      '--profiles',
      'service_name="kcp"',
      '--profiler-tenant',
      'team',
    );
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /kcp-0/);
    assert.deepEqual(windows.sort(), ['goroutine', 'goroutine', 'heap', 'heap']);
    assert.ok(asked.includes('Series'));
  });

  it('says what it answers instead', async t => {
    const url = await serve(t, () => undefined);
    const { code, err } = await analyze('--pyroscope', url);
    assert.equal(code, 3);
    assert.match(err, /^oakum: http:\/\/127\.0\.0\.1:\d+: it answered 404: \{"code":"unimplemented"\}/);
    const empty = await serve(t, path => (path.endsWith('Series') ? {} : undefined));
    const nothing = await analyze('--pyroscope', empty);
    assert.equal(nothing.code, 3);
    assert.match(nothing.err, /no heap or goroutine profile of \{\} in that time; look further back with --since/);
  });
});

describe('Parca', () => {
  it('gives single profiles', async t => {
    const times: string[] = [];
    const url = await serve(t, path => {
      const { pathname, searchParams } = new URL(path, 'http://x');
      const query = searchParams.get('query') ?? searchParams.get('single.query') ?? '';
      if (pathname === '/api/profiles/query_range') {
        const labels = [{ name: 'instance', value: '10.0.0.1:6443' }];
        const samples = [3, 2, 1].map(hours => ({
          timestamp: new Date(Date.now() - hours * 3_600_000).toISOString(),
          value: '1',
        }));
        return { series: query.startsWith('memory:') ? [{ labelset: { labels }, samples }] : [] };
      }
      assert.equal(query, 'memory:inuse_space:bytes:space:bytes{instance="10.0.0.1:6443"}');
      assert.equal(searchParams.get('report_type'), '1');
      times.push(searchParams.get('single.time') ?? '');
      return { pprof: gzipSync(profile('heap')).toString('base64') };
    });
    const { code, out, err } = await analyze('--parca', url);
    assert.deepEqual([code, err], [0, '']);
    assert.equal(times.length, 3);
    assert.match(out, /10\.0\.0\.1-6443/);
  });
});
