import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { makeFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-folders-'));
after(() => rmSync(folder, { recursive: true }));

describe('a folder', () => {
  it('is made with those above it, once, with its mode', async () => {
    const path = join(folder, 'a', 'b', 'c');
    assert.equal(await makeFolder(path, 0o700), join(folder, 'a'));
    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(await makeFolder(path), undefined);
    const both = await Promise.all([makeFolder(join(folder, 'x', 'y')), makeFolder(join(folder, 'x', 'z'))]);
    assert.equal(both.filter(one => one === join(folder, 'x')).length, 1);
  });

  it('is refused where there is a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(makeFolder(join(folder, 'file')), { code: 'EEXIST' });
    await assert.rejects(makeFolder(join(folder, 'file', 'under')), { code: 'ENOTDIR' });
  });

  it(
    'is refused at once where folders are not taken',
    { skip: existsSync('/proc/self') ? false : 'no /proc' },
    async () => {
      await assert.rejects(makeFolder('/proc/x/y'), { code: 'ENOENT' });
    },
  );
});
