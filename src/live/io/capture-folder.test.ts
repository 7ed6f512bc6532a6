import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { FolderError } from '../ports.ts';
import { captureFolder } from './capture-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-folder-'));
after(() => rmSync(root, { recursive: true, force: true }));
let number = 0;

function fresh(): { path: string; folder: ReturnType<typeof captureFolder> } {
  const path = join(root, `f${number++}`);
  return { path, folder: captureFolder(path, './shown') };
}

describe('the folder of a capture', () => {
  it('takes over the lock of a process that is gone, and of no other', async () => {
    const { path, folder } = fresh();
    const lock = await folder.lock();
    await folder.write('a.gz', encodeText('a'));
    assert.equal(lock.kind, 'locked');
    const again = await folder.lock();
    assert.match(again.kind === 'busy' ? again.by : '', new RegExp(`^process ${process.pid} \\(if it is gone, delete`));
    if (lock.kind === 'locked') await lock.release();
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    const file = join(path, '.oakum-capture.lock');
    writeFileSync(file, JSON.stringify({ pid, host: hostname() }));
    assert.equal((await folder.lock()).kind, 'locked', 'left behind');
    writeFileSync(file, JSON.stringify({ pid, host: 'another' }));
    assert.match(JSON.stringify(await folder.lock()), /on another/);
    writeFileSync(file, 'half a lo');
    assert.equal((await folder.lock()).kind, 'locked', 'no lock of ours');
  });

  it('goes with the lock where nothing came into it', async () => {
    const { path, folder } = fresh();
    const empty = await folder.lock();
    if (empty.kind === 'locked') await empty.release();
    assert.equal(existsSync(path), false);
    const used = await folder.lock();
    await folder.write('a.gz', encodeText('a'));
    if (used.kind === 'locked') await used.release();
    assert.deepEqual(readdirSync(path), ['a.gz']);
  });

  it('says what is wrong with a manifest that is none', async () => {
    const { path, folder } = fresh();
    await folder.lock();
    assert.equal(await folder.readManifest(), undefined);
    for (const text of ['{"schema":"other"}', 'no json', 'null']) {
      writeFileSync(join(path, 'MANIFEST.json'), text);
      await assert.rejects(folder.readManifest(), /\.\/shown holds a MANIFEST\.json that is no capture's/);
    }
  });

  it('says why it cannot write, and leaves nothing half-written', async () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    await assert.rejects(captureFolder(join(file, 'below'), 'a-file/below').lock(), (error: Error) => {
      assert.ok(error instanceof FolderError);
      return /cannot write to a-file\/below: a part of that path is no folder/.test(error.message);
    });
    const { path, folder } = fresh();
    await folder.lock();
    // A folder in the place of the file: the rename fails.
    await captureFolder(join(path, 'taken.gz'), 'x').lock();
    await assert.rejects(folder.write('taken.gz', encodeText('x')), FolderError);
    assert.deepEqual(
      readdirSync(path).filter(name => name.endsWith('.tmp')),
      [],
    );
  });
});
