import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { compileGoRegexp } from '../../src/profile/pprof/go-regexp.ts';
import { encodeText } from '../../src/base/text.ts';
import { nameOf, type CallTree } from '../profiles/call-tree.ts';
import { NO_FILTERS, type TreeOptions } from './filters.ts';
import { gunzipped } from './gunzip.ts';
import { ProfileService } from './profile-service.ts';

const CAPTURES = new URL('../../test/fixtures/captures/leakdemo/', import.meta.url);
const capture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, CAPTURES)));

const ALL: TreeOptions = { sampleType: 'goroutine', labels: [], roots: [], widthOf: 'after' };

async function serviceWith(files: Readonly<Record<string, Uint8Array>>): Promise<ProfileService> {
  const service = new ProfileService(compileGoRegexp);
  for (const [key, bytes] of Object.entries(files)) await service.handle('open', { key, name: key, bytes });
  return service;
}

describe('a goroutine dump', () => {
  const files = { dump: capture('go1.26-leakexp-labels/t3/goroutine.debug2.txt') };

  it('opens with its families', async () => {
    const service = new ProfileService(compileGoRegexp);
    const opened = await service.handle('open', { key: 'dump', name: 'dump.txt', bytes: files.dump });
    assert.equal(opened.kind, 'goroutine');
    assert.equal(opened.format, 'debug2');
    assert.ok(opened.families !== undefined && opened.families.counts.length > 10);
    const { tree } = await service.handle('view', { after: 'dump', before: undefined, options: ALL });
    assert.equal(tree.total[0], opened.families.total, 'the tree has every goroutine');
  });

  it('can be filtered by labels and by functions', async () => {
    const service = await serviceWith(files);
    const look = async (options: Partial<TreeOptions>): Promise<CallTree> =>
      (await service.handle('view', { after: 'dump', before: undefined, options: { ...ALL, ...options } })).tree;
    const { labels } = await service.handle('view', { after: 'dump', before: undefined, options: ALL });
    const states = labels.find(({ key }) => key === 'state');
    assert.ok(states !== undefined);
    const { value, total } = states.values.find(entry => entry.value === 'chan send')!;
    assert.equal((await look({ labels: [{ key: 'state', value }] })).total[0], total);
    const both = await look({ labels: ['chan send', 'select'].map(state => ({ key: 'state', value: state })) });
    assert.ok(both.total[0] > total, 'values of one key add up');
    assert.equal((await look({ labels: [{ key: 'state', value: 'no such' }] })).total[0], 0);

    const sends = await look({ filters: { ...NO_FILTERS, focus: 'leakSend' } });
    assert.equal(sends.total[0], total);
    const rooted = await look({ roots: ['state'] });
    assert.equal(rooted.total[0], (await look({})).total[0]);
    assert.match(nameOf(rooted, 1), /^state=chan receive/);
    await assert.rejects(look({ filters: { ...NO_FILTERS, focus: '(' } }), {
      name: 'Failure',
      message: /^parsing focus regexp: error parsing regexp: missing closing \)/,
    });
  });

  it('can be searched with Go regular expressions', async () => {
    const service = await serviceWith(files);
    const { tree } = await service.handle('view', { after: 'dump', before: undefined, options: ALL });
    const matched = await service.handle('match', { source: '^main\\.leak' });
    const found = tree.frames.names.filter((_, frame) => matched[frame] === 1);
    assert.deepEqual(
      found,
      tree.frames.names.filter(name => name.startsWith('main.leak')),
    );
    assert.ok(found.length > 3);
  });
});

describe('two heap profiles', () => {
  const files = { a: capture('go1.26/t0/heap.debug0.pb.gz'), b: capture('go1.26/t3/heap.debug0.pb.gz') };
  const options: TreeOptions = { ...ALL, sampleType: 'inuse_space' };

  it('form one tree with two values', async () => {
    const service = await serviceWith(files);
    const alone = async (key: string): Promise<number> =>
      (await service.handle('view', { after: key, before: undefined, options })).tree.total[0];
    const { tree } = await service.handle('view', { after: 'b', before: 'a', options });
    assert.equal(tree.total[0], await alone('b'));
    assert.equal(tree.before?.total[0], await alone('a'));
  });

  it('grow by family, per operation if the count is known', async () => {
    const service = await serviceWith(files);
    const { growths } = await service.handle('growth', { before: 'a', after: 'b', operations: 10 });
    const most = growths.reduce((x, y) => (y.delta > x.delta ? y : x));
    assert.ok(most.delta > 0);
    assert.equal(most.perOperation, most.delta / 10);
    const swapped = await service.handle('growth', { before: 'b', after: 'a', operations: undefined });
    const same = swapped.growths.find(({ family }) => family.id === most.family.id);
    assert.equal(same?.delta, -most.delta, 'the user decides the order, not the clock');
  });

  it('are not compared with goroutines', async () => {
    const service = await serviceWith({ ...files, g: capture('go1.26/t3/goroutine.debug0.pb.gz') });
    const { growths } = await service.handle('growth', { before: 'a', after: 'g', operations: undefined });
    assert.deepEqual(growths, []);
    const { tree } = await service.handle('view', { after: 'g', before: 'a', options: ALL });
    assert.equal(tree.before?.total[0], 0);
  });
});

describe('a file that is not a profile', () => {
  const refused = (text: string | Uint8Array, wanted: RegExp): Promise<void> =>
    assert.rejects(serviceWith({ x: typeof text === 'string' ? encodeText(text) : text }), wanted);

  it('gets an error that says what it is and what to do', async () => {
    await refused('', /the file is empty/);
    await refused('# TYPE go_goroutines gauge\ngo_goroutines 12\n', /metrics, not a profile; read them with `oakum/);
    await refused(
      'Dear diary, nothing leaks.\n',
      /not a profile, a dump, metrics, kubectl JSON or a log; get one from \/debug\/pprof/,
    );
    await refused('{"kind":"NodeList","items":[]}', /kubectl-json, not a profile/);
    const tar = new Uint8Array(1024);
    tar.set(encodeText('heap.pb'));
    tar.set(encodeText(`${(8 * 0x20 + encodeText('heap.pb').reduce((a, b) => a + b)).toString(8)}\0`), 148);
    await refused(tar, /an archive/);
    await refused(gzipSync('x'.repeat(1000)).subarray(0, 15), /gzip data is damaged or cut off/);
  });

  it('cannot fill the memory', async () => {
    const bomb = gzipSync(new Uint8Array(2 ** 20));
    await assert.rejects(gunzipped(new Uint8Array(bomb), 2 ** 16), /larger than 64 KiB uncompressed/);
    const twice = new Uint8Array(gzipSync(gzipSync('main;a 1\n')));
    assert.deepEqual(await gunzipped(twice), encodeText('main;a 1\n'));
  });

  it('always gives a tree or a FormatError', async () => {
    const whole = capture('go1.26/t0/goroutine.debug0.pb.gz');
    const content = await gunzipped(whole);
    for (let end = 0; end < content.length; end += Math.ceil(content.length / 60)) {
      const service = new ProfileService(compileGoRegexp);
      try {
        await service.handle('open', { key: 'x', name: 'x', bytes: content.slice(0, end) });
        await service.handle('view', { after: 'x', before: undefined, options: ALL });
      } catch (error) {
        assert.equal((error as Error).name, 'FormatError', String(error));
      }
    }
  });
});

it('forgets a closed profile', async () => {
  const service = await serviceWith({ x: encodeText('main;a 1\nmain;b 2\n') });
  await service.handle('close', { key: 'x' });
  await assert.rejects(
    service.handle('view', { after: 'x', before: undefined, options: ALL }),
    /bug: profile x is not open/,
  );
});
