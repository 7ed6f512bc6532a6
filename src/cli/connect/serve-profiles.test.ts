import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, it, type TestContext } from 'node:test';
import { decodeProfile } from '../../profile/formats/pprof/decode.ts';
import type { Profile } from '../../profile/profile.ts';
import { parsePprofFlags } from '../../profile/pprof/flags.ts';
import { combine } from '../../profile/pprof/transform/merge.ts';
import { ask } from '../../../test/double/example-server.ts';
import { serveProfiles } from './serve-profiles.ts';
import { Failure } from '../../base/errors.ts';

const CAPTURES = new URL('../../../test/fixtures/captures/leakdemo/go1.26/', import.meta.url);
const BEFORE = 't0/heap.debug0.pb.gz';
const AFTER = 't3/heap.debug0.pb.gz';

describe('oakum pprof -http', () => {
  it('opens one profile, with the file unchanged', async t => {
    const { url, port, said } = await served(t, ['-http=:', AFTER]);
    assert.equal(url.host, `localhost:${port}`);
    assert.deepEqual([url.pathname, url.search], [`/p/${sha256(bytesOf(AFTER))}`, '']);
    assert.equal(said.at(-1), 'Open it in a browser. Ctrl-C stops it.');
    const file = await ask(port, url.pathname.replace('/p/', '/api/v1/profiles/'));
    assert.deepEqual(file.bytes, bytesOf(AFTER));
    const start = await ask(port, '/');
    assert.deepEqual([start.status, start.headers.location], [302, url.pathname]);
    const status = JSON.parse((await ask(port, '/api/v1/status')).text);
    assert.deepEqual([status.cluster, status.mode], ['heap.debug0.pb.gz', 'files']);
    assert.deepEqual(status.files, [{ sha256: sha256(bytesOf(AFTER)), sources: [AFTER] }]);
    assert.equal((await ask(port, '/readyz')).status, 200);
    for (const path of ['fleet', 'catalogue', 'incidents/a', 'targets/a']) {
      assert.equal((await ask(port, `/api/v1/${path}`)).status, 404, path);
    }
  });

  it('opens a base and a source as a comparison', async t => {
    const { url, port } = await served(t, ['-http=127.0.0.1:0', `-diff_base=${BEFORE}`, AFTER]);
    assert.equal(url.pathname, '/compare');
    assert.deepEqual(
      [...url.searchParams.values()],
      [BEFORE, AFTER].map(name => sha256(bytesOf(name))),
    );
    assert.equal(JSON.parse((await ask(port, '/api/v1/status')).text).cluster, 'heap.debug0.pb.gz → heap.debug0.pb.gz');
  });

  it('merges several, and normalizes when asked', async t => {
    const merged = await served(t, ['-http=:', BEFORE, AFTER]);
    const both = await profileAt(merged.port, merged.url.pathname.slice('/p/'.length));
    assert.deepEqual(total(both), total(read(BEFORE)) + total(read(AFTER)));
    const scaled = await served(t, ['-http=:', '-normalize', `-base=${BEFORE}`, AFTER]);
    const after = await profileAt(scaled.port, scaled.url.searchParams.get('b') ?? '');
    const ratio = total(after) / total(read(BEFORE));
    assert.ok(Math.abs(ratio - 1) < 0.01, String(ratio));
  });

  it('opens the page as the flags say, and lists those it cannot apply', async t => {
    const flags = ['-inuse_objects', '-focus=start.*Sync', '-tagroot=state', '-hide=x', '-lines', '-cum', '-unit=MB'];
    const { url, said } = await served(t, ['-http=:', ...flags, '-relative_percentages', '-nodecount=5', AFTER]);
    assert.equal(
      url.search,
      '?si=inuse_objects&focus=start.*Sync&hide=x&granularity=lines&relative=1&unit=MB&sort=-cum&root=state',
    );
    assert.equal(said[0], 'Ignored on the page: -nodecount');
  });

  it("understands go tool pprof's paths", async t => {
    const { url, port } = await served(t, ['-http=:', '-hide=x', AFTER]);
    const page = async (path: string): Promise<string> => {
      const { status, headers } = await ask(port, path);
      assert.equal(status, 302, path);
      return (headers.location ?? '').replace(url.pathname, 'PAGE');
    };
    assert.equal(await page('/ui/'), 'PAGE?hide=x');
    assert.equal(await page('/ui'), 'PAGE?hide=x');
    assert.equal(
      await page('/ui/flamegraph?f=sync%7Cpoll&si=alloc_space&g=lines&rel=true&h=y'),
      'PAGE?hide=y&focus=sync%7Cpoll&si=alloc_space&granularity=lines&relative=1',
    );
    assert.equal(await page('/ui/top?sort=cum&n=5'), 'PAGE?hide=x&table=top&sort=-cum');
    assert.equal(
      await page('/ui/graph?i=net&sf=main&tf=a%3Db'),
      'PAGE?hide=x&tab=graph&ignore=net&show_from=main&tagfocus=a%3Db',
    );
    assert.equal(await page('/ui/peek?f=sync'), 'PAGE?hide=x&tab=peek&f=sync', 'the functions to peek at');
    assert.equal(await page('/source?f=sync'), 'PAGE?hide=x&tab=source&f=sync');
    assert.equal(await page('/ui/download'), `/api/v1/profiles/${sha256(bytesOf(AFTER))}`);
  });

  it('shows the source that a profile names, and no other file', async t => {
    const { port } = await served(t, ['-http=:', AFTER]);
    const { functions, strings } = read(AFTER);
    const named = Array.from(functions.filename, index => strings[index]).find(file => file.endsWith('/main.go')) ?? '';
    const lines = async (file: string, query = 'from=2&to=2'): Promise<{ status: number; text: string }> =>
      ask(port, `/api/v1/source?file=${encodeURIComponent(file)}&${query}`);
    assert.deepEqual(JSON.parse((await lines(named)).text), { lines: ['// two'] });
    assert.equal((await lines('/etc/main.go')).status, 404);
    assert.equal((await lines('/etc/passwd')).status, 404);
    assert.equal((await lines(named, 'from=x&to=2')).status, 400);
  });

  it('requires a token if others can reach it', async t => {
    const { url, port, said } = await served(t, ['-http=0:', AFTER]);
    assert.equal(url.pathname, '/login');
    assert.equal(said[1], 'Others can reach this address; anyone with the link gets in.');
    const page = url.searchParams.get('to') ?? '';
    assert.equal((await ask(port, page)).status, 401);
    const login = await ask(port, url.pathname + url.search);
    const [cookie] = (login.headers['set-cookie'] ?? [])[0].split(';');
    const file = await ask(port, page.replace('/p/', '/api/v1/profiles/'), { headers: { cookie } });
    assert.deepEqual(file.bytes, bytesOf(AFTER));
  });

  it('fails before it listens', async t => {
    await assert.rejects(served(t, ['-http=nonsense', AFTER]), /^Failure: -http: expected HOST:PORT/);
    await assert.rejects(served(t, ['-http=:', '-diff_base=none', AFTER]), /^Failure: -diff_base: none is not there/);
  });
});

interface Served {
  readonly url: URL;
  readonly port: number;
  readonly said: readonly string[];
}

/** Runs until the test ends; resolves when the address is printed. */
async function served(t: TestContext, argv: string[]): Promise<Served> {
  const stop = new AbortController();
  const said: string[] = [];
  let running: Promise<void> = Promise.resolve();
  const told = new Promise<void>((resolve, reject) => {
    running = serveProfiles({
      command: parsePprofFlags(argv),
      fetch: async sources => combine(sources.map(read)),
      readWhole: async source => bytesOf(source),
      readSource: path =>
        path.endsWith('main.go') ? { lines: ['package main', '// two', '// three'] } : { error: '' },
      webFolder: '/nowhere',
      say: line => {
        if (!line.startsWith('no web UI')) said.push(line);
        if (line.includes('Ctrl-C')) resolve();
      },
      signal: stop.signal,
    });
    running.catch(reject);
  });
  t.after(async () => {
    stop.abort();
    await running.catch(() => undefined);
  });
  await told;
  const line = said.find(text => text.startsWith('Serving web UI on ')) ?? '';
  const url = new URL(line.replace('Serving web UI on ', ''));
  return { url, port: Number(url.port), said };
}

function bytesOf(name: string): Buffer {
  return readFileSync(new URL(name, CAPTURES));
}

function read(name: string): Profile {
  if (name === 'none') throw new Failure('not-found', 'none is not there');
  return decodeProfile(gunzipSync(bytesOf(name)));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function profileAt(port: number, hash: string): Promise<Profile> {
  return decodeProfile(gunzipSync((await ask(port, `/api/v1/profiles/${hash}`)).bytes));
}

/** The total of the last sample type. */
function total({ samples }: Profile): number {
  const values = samples.values[samples.values.length - 1];
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += Number(values[i]);
  return sum;
}
