import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { compileGoRegexp } from '../../src/pprof/units/go-regexp.ts';
import { encodeText } from '../../src/base/text.ts';
import { nameOf, pathTo, type FlameTree } from '../call-tree/call-tree.ts';
import { heaviestLeaf } from '../flame/keyboard-steps.ts';
import { parseFrame, stackFamily } from '../text/stack-text.ts';
import type { ViewChoice } from './build-tree.ts';
import { gunzipped } from './gunzip.ts';
import { ProfileDesk } from './profile-service.ts';

const CAPTURES = new URL('../../test/fixtures/captures/leakdemo/', import.meta.url);
const capture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, CAPTURES)));

const ALL: ViewChoice = { sampleType: 'goroutine', only: '', labels: [], roots: [], widthOf: 'after' };

async function deskWith(files: Readonly<Record<string, Uint8Array>>): Promise<ProfileDesk> {
  const desk = new ProfileDesk(compileGoRegexp);
  for (const [key, bytes] of Object.entries(files)) await desk.answer('open', { key, name: key, bytes });
  return desk;
}

describe('a goroutine dump', () => {
  const files = { dump: capture('go1.26-leakexp-labels/t3/goroutine.debug2.txt') };

  it('is opened with its families', async () => {
    const desk = new ProfileDesk(compileGoRegexp);
    const opened = await desk.answer('open', { key: 'dump', name: 'dump.txt', bytes: files.dump });
    assert.equal(opened.kind, 'goroutine');
    assert.equal(opened.format, 'debug2');
    assert.ok(opened.families !== undefined && opened.families.counts.length > 10);
    const { tree } = await desk.answer('view', { after: 'dump', before: undefined, choice: ALL });
    assert.equal(tree.total[0], opened.families.total, 'the tree holds every goroutine');
  });

  it('is filtered by labels and by what its stacks hold', async () => {
    const desk = await deskWith(files);
    const look = async (choice: Partial<ViewChoice>): Promise<FlameTree> =>
      (await desk.answer('view', { after: 'dump', before: undefined, choice: { ...ALL, ...choice } })).tree;
    const { labels } = await desk.answer('view', { after: 'dump', before: undefined, choice: ALL });
    const states = labels.find(({ key }) => key === 'state');
    assert.ok(states !== undefined);
    const { value, total } = states.values.find(entry => entry.value === 'chan send')!;
    assert.equal((await look({ labels: [{ key: 'state', value }] })).total[0], total);
    const both = await look({ labels: ['chan send', 'select'].map(state => ({ key: 'state', value: state })) });
    assert.ok(both.total[0] > total, 'values of one key add up');
    assert.equal((await look({ labels: [{ key: 'state', value: 'no such' }] })).total[0], 0);

    const sends = await look({ only: 'leakSend' });
    assert.equal(sends.total[0], total);
    const rooted = await look({ roots: ['state'] });
    assert.equal(rooted.total[0], (await look({})).total[0]);
    assert.match(nameOf(rooted, 1), /^state=chan receive/);
    await assert.rejects(look({ only: '(' }), /^Error: error parsing regexp: missing closing \)/);
  });

  it('is searched by Go regexps', async () => {
    const desk = await deskWith(files);
    const { tree } = await desk.answer('view', { after: 'dump', before: undefined, choice: ALL });
    const matched = await desk.answer('match', { source: '^main\\.leak' });
    const found = tree.frames.names.filter((_, frame) => matched[frame] === 1);
    assert.deepEqual(
      found,
      tree.frames.names.filter(name => name.startsWith('main.leak')),
    );
    assert.ok(found.length > 3);
  });

  it('gives a stack of the tree the id of its family', async () => {
    const desk = new ProfileDesk(compileGoRegexp);
    const { families } = await desk.answer('open', { key: 'dump', name: 'dump.txt', bytes: files.dump });
    for (const { family, example } of families!.counts) {
      assert.equal(stackFamily('goroutine', example.map(parseFrame)), family.id, family.title);
    }
    const { tree } = await desk.answer('view', { after: 'dump', before: undefined, choice: ALL });
    const leaf = heaviestLeaf(tree, 0);
    const frames = pathTo(tree, leaf).map(node => ({ name: nameOf(tree, node), place: '' }));
    assert.ok(families!.counts.some(({ family }) => family.id === stackFamily('goroutine', frames.reverse())));
  });
});

describe('two heap profiles', () => {
  const files = { a: capture('go1.26/t0/heap.debug0.pb.gz'), b: capture('go1.26/t3/heap.debug0.pb.gz') };
  const choice: ViewChoice = { ...ALL, sampleType: 'inuse_space' };

  it('are one tree with two values', async () => {
    const desk = await deskWith(files);
    const alone = async (key: string): Promise<number> =>
      (await desk.answer('view', { after: key, before: undefined, choice })).tree.total[0];
    const { tree } = await desk.answer('view', { after: 'b', before: 'a', choice });
    assert.equal(tree.total[0], await alone('b'));
    assert.equal(tree.before?.total[0], await alone('a'));
  });

  it('grow by family, per operation when that is known', async () => {
    const desk = await deskWith(files);
    const { growths } = await desk.answer('growth', { before: 'a', after: 'b', operations: 10 });
    const most = growths.reduce((x, y) => (y.delta > x.delta ? y : x));
    assert.ok(most.delta > 0);
    assert.equal(most.perOperation, most.delta / 10);
    const swapped = await desk.answer('growth', { before: 'b', after: 'a', operations: undefined });
    const same = swapped.growths.find(({ family }) => family.id === most.family.id);
    assert.equal(same?.delta, -most.delta, 'the order is the user’s, not the clock’s');
  });

  it('are not compared with goroutines', async () => {
    const desk = await deskWith({ ...files, g: capture('go1.26/t3/goroutine.debug0.pb.gz') });
    const { growths } = await desk.answer('growth', { before: 'a', after: 'g', operations: undefined });
    assert.deepEqual(growths, []);
    const { tree } = await desk.answer('view', { after: 'g', before: 'a', choice: ALL });
    assert.equal(tree.before?.total[0], 0);
  });
});

describe('what is no profile', () => {
  const refused = (text: string | Uint8Array, wanted: RegExp): Promise<void> =>
    assert.rejects(deskWith({ x: typeof text === 'string' ? encodeText(text) : text }), wanted);

  it('is named for what it is, with what to do', async () => {
    await refused('', /empty input file/);
    await refused('# TYPE go_goroutines gauge\ngo_goroutines 12\n', /metrics, not a profile; read them with `oakum/);
    await refused('Dear diary, nothing leaks.\n', /neither a profile nor a goroutine dump/);
    const tar = new Uint8Array(1024);
    tar.set(encodeText('ustar'), 257);
    await refused(tar, /an archive/);
    await refused(gzipSync('x'.repeat(1000)).subarray(0, 15), /gzip compression is damaged or cut/);
  });

  it('cannot fill the memory', async () => {
    const bomb = gzipSync(new Uint8Array(2 ** 20));
    await assert.rejects(gunzipped(new Uint8Array(bomb), 2 ** 16), /more than 64 KiB of content/);
    const twice = new Uint8Array(gzipSync(gzipSync('main;a 1\n')));
    assert.deepEqual(await gunzipped(twice), encodeText('main;a 1\n'));
  });

  it('never ends in anything but a tree or a sentence', async () => {
    const whole = capture('go1.26/t0/goroutine.debug0.pb.gz');
    const content = await gunzipped(whole);
    for (let end = 0; end < content.length; end += Math.ceil(content.length / 60)) {
      const desk = new ProfileDesk(compileGoRegexp);
      try {
        await desk.answer('open', { key: 'x', name: 'x', bytes: content.slice(0, end) });
        await desk.answer('view', { after: 'x', before: undefined, choice: ALL });
      } catch (error) {
        assert.equal((error as Error).name, 'FormatError', String(error));
      }
    }
  });
});

it('a closed profile is gone', async () => {
  const desk = await deskWith({ x: encodeText('main;a 1\nmain;b 2\n') });
  await desk.answer('close', { key: 'x' });
  await assert.rejects(
    desk.answer('view', { after: 'x', before: undefined, choice: ALL }),
    /bug: profile x is not open/,
  );
});
