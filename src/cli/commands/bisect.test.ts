import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { startExample } from '../../../test/double/example-server.ts';
import { demoProfiles, startProfiler } from '../../../test/double/profiler.ts';
import { recordedRollout, rolloutAttributes } from '../../../test/docs/recorded-rollout.ts';
import type { Bisection, VersionBisection } from '../../judge/bisect/bisection.ts';
import { run } from '../run.ts';

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'oakum-bisect-'));
  mkdirSync(join(folder, 'rollout'));
  for (const [name, text] of recordedRollout()) writeFileSync(join(folder, 'rollout', name), text);
  writeFileSync(join(folder, 'nodes.csv'), rolloutAttributes());
  for (const [version, set] of [
    ['v1.35', 'fix-a'],
    ['v1.36', 'leak-a'],
    ['v1.37', 'fix-a'],
  ] as const) {
    mkdirSync(join(folder, version));
    const demo = new URL(`../../../demo/${set}/`, import.meta.url).pathname;
    for (const file of readdirSync(demo)) cpSync(join(demo, file), join(folder, version, file));
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function bisect(...args: string[]) {
  const io = memoryIo({ cwd: folder });
  const code = await run(['bisect', ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe('oakum bisect', () => {
  it('names the version, who speaks against it, when it began and what to try', async () => {
    const { code, out } = await bisect('rollout', '--attributes', 'nodes.csv', '-o', 'json', '--fail-on', 'leak');
    assert.equal(code, 1);
    const found = JSON.parse(out) as Bisection;
    assert.equal(found.sentence, 'version v1.36.0 comes with a leak');
    const [culprit, ...more] = found.culprits;
    assert.deepEqual(more, []);
    assert.equal(culprit.leaking.length, 7);
    assert.deepEqual(
      culprit.against.map(({ target, differs }) => [target, ...differs]),
      [['worker-6', 'runtime cri-o://1.31.2, not containerd://2.0.1']],
    );
    assert.match(culprit.onset[0].sentence, /of the change to version v1\.36\.0 on 7 of 7 targets/);
    assert.ok(culprit.next.some(step => /^stop the rollout of v1\.36\.0: it is on 33 %/.test(step)));
    assert.ok(culprit.known.length > 0, 'v1.36.0 has known leaks');
    assert.deepEqual(
      found.changes.map(({ attribute, from, to, targets }) => [attribute, from, to, targets]),
      [['version', 'v1.35.7', 'v1.36.0', 8]],
    );
  });

  it('takes what the profiles of its targets in a continuous profiler prove, and says where they come from', async t => {
    const plain = JSON.parse((await bisect('rollout', '-o', 'json')).out) as Bisection;
    const later = Date.parse(plain.at) / 1000 - 1_794_774_072 - 60;
    const heaps = demoProfiles('leak-a', later).filter(({ kind }, i) => kind === 'heap' && i % 2 === 0);
    const profiler = await startProfiler(t, [
      { labels: { service_name: 'kubelet', node: 'worker-1' }, profiles: heaps },
      // On that node, but not its kubelet; and a node that is not asked about.
      { labels: { service_name: 'web', node: 'worker-1', pod: 'web-0' }, profiles: heaps },
      { labels: { service_name: 'kubelet', node: 'elsewhere' }, profiles: heaps },
    ]);
    const { code, out, err } = await bisect('rollout', '-o', 'json', '--pyroscope', profiler.url, '--since', '1h');
    assert.deepEqual([code, err], [0, '']);
    const { notes } = JSON.parse(out) as Bisection;
    assert.deepEqual(notes.slice(plain.notes.length), [
      `${profiler.url} has profiles of 1 of the targets; those of 1 prove a leak by themselves`,
    ]);
    assert.equal(profiler.requests.filter(method => method === 'SelectMergeProfile').length, 2 * heaps.length);
  });

  it('says it in text and Markdown', async () => {
    const text = await bisect('rollout', '--attributes', 'nodes.csv');
    assert.equal(text.code, 0);
    assert.match(
      text.out,
      /^version v1\.36\.0 comes with a leak\n\nleak +version v1\.36\.0: live heap grows 1\.\d+ MiB\/h/,
    );
    assert.match(text.out, /^AND +- against: worker-6 has it and does not grow/m);
    assert.match(text.out, /^CHANGES +- version v1\.35\.7 -> v1\.36\.0 on 8 targets, 2026-08-07T00:00Z$/m);
    const markdown = await bisect('rollout', '-o', 'markdown');
    assert.match(markdown.out, /^## version v1\.36\.0 comes with a leak/);
  });

  it('finds the first bad version among captures of the same churn', async () => {
    const { code, out } = await bisect('--versions', 'v1.35', 'v1.36', 'v1.37', '-o', 'json');
    assert.equal(code, 0);
    const found = JSON.parse(out) as VersionBisection;
    assert.match(
      found.sentence,
      /^v1\.36 is the first version that grows, in .*; v1\.35 does not; v1\.37 no longer does$/,
    );
    assert.deepEqual(
      found.versions.map(({ families }) => families.length > 0),
      [false, true, false],
    );
    assert.ok(
      found.firstBad?.read.some(line => line.startsWith('k8s.io/kubernetes')),
      JSON.stringify(found.firstBad),
    );
    const text = await bisect('--versions', 'v1.35', 'v1.36', '--operations', '500');
    assert.match(text.out, /^leak +v1\.36 .*\/op/m);
  });

  it('asks a running watch', async t => {
    const { port } = await startExample(t);
    const { code, out } = await bisect('--watch', `http://127.0.0.1:${port}`);
    assert.equal(code, 0);
    assert.match(out, /^version v1\.36\.0 comes with a leak\n/);
    assert.match(out, /against: node\/worker-2 has it and does not grow \(kernel 6\.1\.0-28, not 6\.8\.0-51\)/);
  });

  it('says what is wrong in one line', async () => {
    assert.match((await bisect()).err, /no files given/);
    assert.match((await bisect('--versions', 'v1.35')).err, /--versions takes two folders or more/);
    assert.match((await bisect('--prometheus', 'http://x', 'rollout')).err, /--prometheus takes no paths/);
    assert.match((await bisect('rollout', '--attributes', 'none.csv')).err, /none\.csv/);
    const header = await bisect('--prometheus', 'http://x', '--prometheus-header', 'oops');
    assert.match(header.err, /--prometheus-header takes NAME: VALUE/);
    const nobody = await bisect('--watch', 'http://127.0.0.1:1');
    assert.equal(nobody.code, 3);
  });
});
