import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { memoryIo, type MemoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-catalogue-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function catalogue(...argv: string[]): Promise<{ code: number; io: MemoryIo }> {
  const io = memoryIo({ cwd: folder });
  return { code: await run(['catalogue', ...argv], io), io };
}

const LEAKS = new URL('../../knowledge/leaks/', import.meta.url);
const CONTEXT = readFileSync(new URL('kubelet-startpodsync-context.yaml', LEAKS), 'utf8');

function site(name: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(join(folder, name));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
  return name;
}

test('list', async () => {
  const { code, io } = await catalogue('list');
  assert.equal(code, 0);
  const lines = io.out().trimEnd().split('\n');
  assert.match(lines[0], /^ID +COMPONENT +RESOURCES +FIXED IN +REF$/);
  assert.equal(lines.length, BUNDLED_LEAKS.length + 1);
  assert.match(io.out(), /^kubelet-startpodsync-context +kubelet +heap +1\.36\.3,1\.37\.0 +kubernetes#139823$/m);
  assert.deepEqual(JSON.parse((await catalogue('list', '-o', 'json')).io.out()), BUNDLED_LEAKS);
  assert.deepEqual(parse((await catalogue('list', '-o', 'yaml')).io.out()), BUNDLED_LEAKS);
  assert.match((await catalogue('list', '-o', 'markdown')).io.out(), /^# Known leaks\n/);
});

test('show, by id or reference', async () => {
  const { code, io } = await catalogue('show', 'kubelet-startpodsync-context');
  assert.equal(code, 0);
  for (const part of [/Fixed in: +1\.36\.3, 1\.37\.0/, /140882/, /issues\/139823/, /\(\*podWorkers\)\.startPodSync/]) {
    assert.match(io.out(), part);
  }
  assert.ok(
    io
      .out()
      .split('\n')
      .every(line => line.length <= 120),
  );
  assert.equal((await catalogue('show', 'kubernetes#139823')).io.out(), io.out());
  assert.equal(JSON.parse((await catalogue('show', 'kcp#3350', '-o', 'json')).io.out()).id, 'kcp-processor-listener');
  const absent = await catalogue('show', 'nothing');
  assert.equal(absent.code, 2);
  assert.equal(absent.io.err(), 'oakum: no known leak nothing; oakum catalogue list shows them all\n');
});

test('lint', async () => {
  const { code, io } = await catalogue('lint');
  assert.equal(code, 0);
  assert.match(io.out(), /^\d+ known leaks, \d+ signatures, 0 problems\n$/);
});

test('a site adds and replaces entries', async () => {
  const own = CONTEXT.replace('id: kubelet-startpodsync-context', 'id: our-leak').replaceAll(
    'kubelet.(*pod',
    'ours.(*pod',
  );
  const name = site('own', {
    'our-leak.yaml': own.replace(/volumemanager\.\(/, 'ours.('),
    'kubelet-startpodsync-context.yaml': CONTEXT.replace(/title: .*/, 'title: Ours'),
    'README.md': 'not an entry',
  });
  const shown = await catalogue('show', 'kubelet-startpodsync-context', '--catalogue', name);
  assert.match(shown.io.out(), /^Ours /);
  assert.equal(shown.io.err(), 'oakum: kubelet-startpodsync-context of own replaces the bundled entry\n');
  assert.equal((await catalogue('show', 'our-leak', '--catalogue', name)).code, 0);
  assert.equal((await catalogue('lint', '--catalogue', name)).code, 0);
});

test('reports each problem of a file in one line', async () => {
  const name = site('bad', { 'bad.yaml': 'id: bad\n' });
  const listed = await catalogue('list', '--catalogue', name);
  assert.equal(listed.code, 3);
  assert.match(listed.io.err(), /^oakum: bad\.yaml: title: is needed\n/);
  const linted = await catalogue('lint', '--catalogue', name, '-o', 'json');
  assert.equal(linted.code, 3);
  assert.equal(JSON.parse(linted.io.out()).problems[0], 'bad.yaml: title: is needed');
  const absent = await catalogue('list', '--catalogue', 'absent');
  assert.equal(absent.code, 3);
  assert.match(absent.io.err(), /no such file or directory\n$/);
});

test('arguments', async () => {
  assert.match((await catalogue('--help')).io.out(), /^Usage: oakum catalogue/);
  for (const argv of [
    [],
    ['frob'],
    ['show'],
    ['show', 'a', 'b'],
    ['list', 'x'],
    ['lint', '-o', 'markdown'],
    ['list', '--no'],
  ]) {
    const { code, io } = await catalogue(...argv);
    assert.equal(code, 2, argv.join(' '));
    assert.match(io.err(), /^oakum: .*; see oakum catalogue --help\n$/);
  }
});
