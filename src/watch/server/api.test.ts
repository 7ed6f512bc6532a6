import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type FleetView, WHOLE_FLEET } from '../views/fleet.ts';
import { errorOf, startExample } from '../../../test/double/example-server.ts';
import { EXAMPLE_SHA256, exampleService } from '../../../test/double/example-service.ts';
import { StoreError } from '../../store/ports.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the API', () => {
  it('passes on what was asked, and answers what the watch said', async t => {
    const requests: unknown[][] = [];
    const example = exampleService();
    const server = await startExample(t, {
      changes: {
        fleet: (...given) => (requests.push(['fleet', ...given]), example.fleet(...given)),
        cohorts: (...given) => (requests.push(['cohorts', ...given]), example.cohorts(...given)),
        incidentsView: query => (requests.push(['incidents', query]), example.incidentsView(query)),
        target: (...given) => (requests.push(['target', ...given]), example.target(...given)),
        report: (...given) => (requests.push(['report', ...given]), example.report(...given)),
      },
    });
    const paths = [
      '/fleet',
      '/fleet?hours=24.5',
      '/fleet?offset=200&limit=100&search=a+B&verdict=leak,watch&is=pool:a:b&is=zone:&by=pool&sort=slope&find=node/a',
      '/cohorts',
      '/cohorts?changes=0',
      '/incidents?limit=20',
      '/incidents?offset=5&state=closed&folded=no',
      '/targets/node%2Fworker-1',
      '/targets/node/worker-1?from=1794700000&to=1794772000.5',
      '/incidents/i-1/report',
      '/incidents/i-1/report?for=provider',
    ];
    for (const path of paths) assert.equal((await server.ask(`/api/v1${path}`)).status, 200, path);
    assert.deepEqual(requests, [
      ['fleet', 168, WHOLE_FLEET],
      ['fleet', 24.5, WHOLE_FLEET],
      [
        'fleet',
        168,
        {
          offset: 200,
          limit: 100,
          search: 'a B',
          verdicts: ['leak', 'watch'],
          is: [
            ['pool', 'a:b'],
            ['zone', ''],
          ],
          by: 'pool',
          sort: 'slope',
          find: 'node/a',
        },
      ],
      ['cohorts', 20_000],
      ['cohorts', 0],
      ['incidents', { offset: 0, limit: 20, state: 'any', withFolded: true }],
      ['incidents', { offset: 5, limit: 5000, state: 'closed', withFolded: false }],
      ['target', 'node/worker-1', undefined, undefined],
      ['target', 'node/worker-1', 1_794_700_000, 1_794_772_000.5],
      ['report', 'i-1', 'upstream'],
      ['report', 'i-1', 'provider'],
    ]);
  });

  it('takes targets of every form, encoded or not', async t => {
    const names: string[] = [];
    const server = await startExample(t, {
      changes: { target: name => (names.push(name), Promise.resolve(undefined)) },
    });
    const wanted = ['http://10.0.0.1:6060', 'unix:///run/x.sock', 'pod/ns/a:80', 'ä % ?', '..', 'a/../b', 'capture'];
    for (const name of wanted) await server.ask(`/api/v1/targets/${encodeURIComponent(name).replaceAll('.', '%2E')}`);
    await server.ask('/api/v1/targets/http://10.0.0.1:6060');
    // A segment of two dots is a step up in every URL, however it is written; within a name it is not.
    assert.deepEqual(names, [...wanted.filter(name => name !== '..'), 'http://10.0.0.1:6060']);
  });

  it('says of what is not there that it is not, and where to look', async t => {
    const { ask } = await startExample(t);
    const missing = [
      ['/targets/node/worker-9', 'There is no target "node/worker-9".', 'The fleet lists all targets.'],
      ['/incidents/i-9', 'There is no incident "i-9".', 'The list of incidents has all that are kept.'],
      ['/incidents/i-9/bundle', 'There is no incident "i-9".', 'The list of incidents has all that are kept.'],
      ['/incidents/i-9/report', 'There is no incident "i-9".', 'The list of incidents has all that are kept.'],
      ['/captures/c-9', 'There is no capture "c-9".', 'Old captures make room for new ones.'],
      [`/profiles/${'0'.repeat(64)}`, `There is no file ${'0'.repeat(64)}.`, 'Old captures make room for new ones.'],
      ['/nothing', 'There is nothing here.', 'docs/api.md lists the paths.'],
      ['', 'There is nothing here.', 'docs/api.md lists the paths.'],
    ];
    for (const [path, error, hint] of missing) {
      const answer = await ask(`/api/v1${path}`);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(errorOf(answer), { error, hint });
    }
    assert.equal((await ask('/api/v2/status')).status, 404);
  });

  it('refuses what makes no sense, in a sentence', async t => {
    const { ask } = await startExample(t);
    const refused = [
      ['/fleet?hours=0', 'hours must be a number from 1 to 8784, not "0".'],
      ['/fleet?hours=1e3', 'hours must be a number from 1 to 8784, not "1e3".'],
      ['/fleet?hours=24&hours=48', 'The parameter hours is given twice.'],
      ['/fleet?hour=24', 'There is no parameter "hour".'],
      ['/fleet?__proto__=1', 'There is no parameter "__proto__".'],
      ['/fleet?offset=-1', 'offset must be a whole number from 0 to 10000000, not "-1".'],
      ['/fleet?offset=1.5', 'offset must be a whole number from 0 to 10000000, not "1.5".'],
      ['/fleet?limit=5001', 'limit must be a whole number from 0 to 5000, not "5001".'],
      [`/fleet?search=${'x'.repeat(201)}`, `search must have at most 200 characters, not "${'x'.repeat(80)}...".`],
      [
        '/fleet?verdict=leak,bad',
        'verdict must be some of leak, watch, unknown, healthy, with commas, not "leak,bad".',
      ],
      ['/fleet?verdict=', 'verdict must be some of leak, watch, unknown, healthy, with commas, not "".'],
      ['/fleet?is=a:1&is=pool', 'is must be ATTRIBUTE:VALUE, not "pool".'],
      [`/fleet?${'is=a:1&'.repeat(17)}`, 'is may be given at most 16 times.'],
      ['/fleet?sort=age', 'sort must be one of worst, name, level, slope, limit, not "age".'],
      [`/fleet?find=${'x'.repeat(513)}`, `find must have at most 512 characters, not "${'x'.repeat(80)}...".`],
      ['/fleet?hours=%1b[31m', 'hours must be a number from 1 to 8784, not "\\x1b[31m".'],
      ['/cohorts?changes=20001', 'changes must be a whole number from 0 to 20000, not "20001".'],
      ['/incidents?limit=x', 'limit must be a whole number from 0 to 5000, not "x".'],
      ['/incidents?state=gone', 'state must be one of open, closed, any, not "gone".'],
      ['/incidents?folded=1', 'folded must be yes or no, not "1".'],
      ['/targets/a?from=-1', 'from must be Unix seconds, not "-1".'],
      ['/targets/a?to=2026-01-01', 'to must be Unix seconds, not "2026-01-01".'],
      ['/targets/a?from=20&to=10', 'from must be before to.'],
      ['/targets/%ff', 'The target is not properly percent-encoded.'],
      ['/targets/', 'The target must have 1 to 512 characters, and no control characters.'],
      ['/targets/a%00b', 'The target must have 1 to 512 characters, and no control characters.'],
      [`/incidents/${'i'.repeat(513)}`, 'The id must have 1 to 512 characters, and no control characters.'],
      ['/incidents/i-1/report?for=everybody', 'for must be one of upstream, provider, incident, not "everybody".'],
      ['/profiles/abc', 'Files are addressed by their SHA-256.'],
      ['/status?x', 'There is no parameter "x".'],
      ['/events?x', 'There is no parameter "x".'],
    ];
    for (const [path, error] of refused) {
      const answer = await ask(`/api/v1${path}`);
      assert.deepEqual([answer.status, errorOf(answer).error], [400, error], path);
    }
  });

  it('writes numbers that are none as null, and hidden characters as escapes', async t => {
    const { fleet } = exampleService();
    const view = await fleet(1);
    const rows = [
      { ...view.rows[0], target: 'a\u001b[31m\u202eb', slopePerHour: Number.NaN, level: Number.POSITIVE_INFINITY },
    ];
    const { ask } = await startExample(t, { changes: { fleet: async () => ({ ...view, rows }) } });
    const { text } = await ask('/api/v1/fleet');
    assert.match(text, /"target":"a\\u001b\[31m\\u202eb"/);
    const [got] = (JSON.parse(text) as FleetView).rows;
    assert.deepEqual([got.slopePerHour, got.level, got.target], [null, null, rows[0].target]);
  });

  it('compresses what is worth it, and sends nothing twice', async t => {
    const { fleet } = exampleService();
    const view = await fleet(1);
    const rows = Array.from({ length: 300 }, (_, i) => ({ ...view.rows[0], target: `node/worker-${i}` }));
    const { ask } = await startExample(t, { changes: { fleet: async () => ({ ...view, rows }) } });
    const whole = await ask('/api/v1/fleet');
    assert.equal(whole.headers['content-encoding'], undefined);
    const brotli = await ask('/api/v1/fleet', { headers: { 'accept-encoding': 'gzip, br' } });
    const gzip = await ask('/api/v1/fleet', { headers: { 'accept-encoding': 'gzip, br;q=0' } });
    assert.deepEqual([brotli.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip']);
    assert.deepEqual(brotliDecompressSync(brotli.bytes), whole.bytes);
    assert.deepEqual(gunzipSync(gzip.bytes), whole.bytes);
    assert.ok(brotli.bytes.length < whole.bytes.length / 10);
    assert.equal(brotli.headers.vary, 'Accept-Encoding');

    const { etag } = whole.headers;
    assert.match(etag ?? '', /^W\/"[\w-]{22}"$/);
    for (const given of [etag, `"x", ${etag}`, '*', etag?.slice(2)]) {
      const again = await ask('/api/v1/fleet', { headers: { 'if-none-match': given ?? '' } });
      assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    }
    assert.equal((await ask('/api/v1/fleet', { headers: { 'if-none-match': '"x"' } })).status, 200);
    const small = await ask('/api/v1/incidents', { headers: { 'accept-encoding': 'br' } });
    assert.equal(small.headers['content-encoding'], undefined);
  });

  it('makes an answer once for all who ask at once, and anew after news', async t => {
    let made = 0;
    const example = exampleService();
    const server = await startExample(t, { changes: { fleet: (...given) => (made++, example.fleet(...given)) } });
    await Promise.all(Array.from({ length: 10 }, () => server.ask('/api/v1/fleet')));
    assert.equal(made, 1);
    server.service.tell({ kind: 'incident', id: 'i-1', at: 1 });
    await server.ask('/api/v1/fleet');
    assert.equal(made, 1, 'news of something else');
    server.service.tell({ kind: 'fleet', at: 1 });
    await server.ask('/api/v1/fleet');
    assert.equal(made, 2);
  });

  it('does not remember a failure, and tells it to its log only', async t => {
    let healthy = false;
    const example = exampleService();
    const catalogue = (): ReturnType<typeof example.catalogue> => {
      if (!healthy) throw new Error('the disk is on fire');
      return example.catalogue();
    };
    const server = await startExample(t, { changes: { catalogue } });
    const failed = await server.ask('/api/v1/catalogue');
    assert.equal(failed.status, 500);
    assert.deepEqual(errorOf(failed), { error: 'The server could not answer this.', hint: 'Its log says why.' });
    assert.match(server.logged.join('\n'), /the disk is on fire/);
    healthy = true;
    assert.equal((await server.ask('/api/v1/catalogue')).status, 200);
  });

  it('answers an expected failure with its status and its sentence', async t => {
    const catalogue = (): never => {
      throw new StoreError('busy', 'another process has it');
    };
    const failed = await (await startExample(t, { changes: { catalogue } })).ask('/api/v1/catalogue');
    assert.equal(failed.status, 503);
    assert.deepEqual(errorOf(failed), { error: 'another process has it', hint: 'The log of the server says more.' });
  });
});

describe('downloads', () => {
  it('have names that are safe anywhere', async t => {
    const id = '../../etc/"passwd"\u202e.exe';
    const changes = { bundle: () => Promise.resolve(new Uint8Array([1])), report: () => Promise.resolve('# x') };
    const { ask } = await startExample(t, { changes });
    const path = `/api/v1/incidents/${encodeURIComponent(id)}`;
    const bundle = await ask(`${path}/bundle`);
    assert.equal(
      bundle.headers['content-disposition'],
      'attachment; filename="oakum-incident-.-.-etc-passwd-.exe.tar.gz"',
    );
    assert.equal(bundle.headers['content-type'], 'application/gzip');
    const report = await ask(`${path}/report?for=incident`);
    assert.match(report.headers['content-disposition'] ?? '', /-incident\.md"$/);
    assert.equal(report.headers['content-type'], 'text/markdown; charset=utf-8');
    assert.equal(report.text, '# x');
  });

  it('of an incident without evidence says so', async t => {
    const none = (): Promise<{ refused: string }> => Promise.resolve({ refused: 'no profile was captured during it' });
    const { ask } = await startExample(t, { changes: { bundle: none, report: none } });
    for (const what of ['bundle', 'report']) {
      const answer = await ask(`/api/v1/incidents/i-1/${what}`);
      assert.equal(answer.status, 404);
      assert.match(answer.text, /There is no evidence of the incident \\"i-1\\": no profile was captured during it\./);
    }
  });

  it('are made two at a time', async t => {
    let release = (): void => undefined;
    const waiting = new Promise<void>(resolve => (release = resolve));
    let begun = 0;
    const bundle = async (): Promise<Uint8Array> => (begun++, await waiting, new Uint8Array([1]));
    const { ask } = await startExample(t, { changes: { bundle } });
    const two = [ask('/api/v1/incidents/a/bundle'), ask('/api/v1/incidents/b/bundle')];
    while (begun < 2) await new Promise(resolve => setTimeout(resolve, 5));
    const third = await ask('/api/v1/incidents/c/bundle');
    assert.deepEqual([third.status, third.headers['retry-after']], [503, '30']);
    release();
    for (const answer of await Promise.all(two)) assert.equal(answer.status, 200);
    assert.equal((await ask('/api/v1/incidents/c/bundle')).status, 200);
  });

  it('of profiles are kept for ever, and named for what they are', async t => {
    const files: Readonly<Record<string, Uint8Array>> = {
      [EXAMPLE_SHA256]: new Uint8Array([0x1f, 0x8b, 8]),
      ['b'.repeat(64)]: Buffer.from('goroutine 1 [running]:\n'),
      ['c'.repeat(64)]: new Uint8Array([10, 4, 0, 1]),
    };
    const { ask } = await startExample(t, { changes: { profile: sha256 => Promise.resolve(files[sha256]) } });
    const expected = ['a1a1a1a1a1a1.pb.gz', 'bbbbbbbbbbbb.txt', 'cccccccccccc.pb'];
    for (const [i, sha256] of Object.keys(files).entries()) {
      const answer = await ask(`/api/v1/profiles/${sha256.toUpperCase()}`);
      assert.deepEqual(answer.bytes, Buffer.from(files[sha256]));
      assert.equal(answer.headers['cache-control'], 'private, max-age=31536000, immutable');
      assert.equal(answer.headers['content-disposition'], `attachment; filename="${expected[i]}"`);
      const again = await ask(`/api/v1/profiles/${sha256}`, { headers: { 'if-none-match': `"${sha256}"` } });
      assert.equal(again.status, 304);
    }
  });
});

describe('asking for a capture', () => {
  it('takes one, or says why not', async t => {
    const { ask } = await startExample(t);
    const post = (target: string, body = '{}') =>
      ask(`/api/v1/targets/${target}/capture`, { method: 'POST', headers: JSON_TYPE, body });
    const taken = await post('node%2Fworker-1');
    assert.deepEqual([taken.status, taken.text], [201, '{"captureId":"c-2"}']);
    assert.equal(taken.headers.location, '/api/v1/captures/c-2');
    assert.equal((await post('node/worker-1', '')).status, 201);
    const refused = await post('node/worker-3');
    assert.equal(refused.status, 409);
    assert.match(errorOf(refused).error, /^It does not answer;/);
    assert.equal((await post('node/worker-9')).status, 404);
  });

  it('takes only JSON, short and empty', async t => {
    const { ask } = await startExample(t);
    const post = (headers: Record<string, string>, body: string) =>
      ask('/api/v1/targets/node/worker-1/capture', { method: 'POST', headers, body });
    assert.equal((await post({}, '{}')).status, 415);
    assert.equal((await post({ 'content-type': 'text/plain' }, '{}')).status, 415);
    assert.equal((await post({ 'content-type': 'application/x-www-form-urlencoded' }, 'a=b')).status, 415);
    assert.equal((await post({ 'content-type': 'Application/JSON; charset=utf-8' }, ' { } ')).status, 201);
    assert.equal((await post(JSON_TYPE, '{"kind":"cpu"}')).status, 400);
    assert.equal((await post(JSON_TYPE, 'x'.repeat(5000))).status, 413);
    assert.equal((await post({ ...JSON_TYPE, 'transfer-encoding': 'chunked' }, 'x'.repeat(50_000))).status, 413);
    assert.equal((await ask('/api/v1/targets/node/worker-1/capture')).status, 405);
  });
});

describe('what operators probe', () => {
  it('is healthy while it runs and ready after the first round', async t => {
    const { status } = exampleService();
    let changed = { ...status(), lastRoundSeconds: null as number | null };
    const { ask } = await startExample(t, { changes: { status: () => changed } });
    assert.deepEqual([(await ask('/healthz')).status, (await ask('/readyz')).status], [200, 503]);
    changed = { ...changed, lastRoundSeconds: 1, store: { bytes: 1, degraded: 'The disk is full.' } };
    const ready = await ask('/readyz');
    assert.deepEqual([ready.status, ready.text], [200, 'ok, but the store is degraded: The disk is full.\n']);
  });
});
