import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { readBoundedFile, readBoundedText } from './read-bounded-file.ts';
import { Failure } from '../../base/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-bounded-'));
after(() => rmSync(folder, { recursive: true }));

function place(bytes: number): string {
  const path = join(folder, String(bytes));
  writeFileSync(path, 'x'.repeat(bytes));
  return path;
}

const tooLarge = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'too-large' && error.message === 'f: larger than 1000 bytes';

it('reads a file up to the limit, and refuses a larger one', async () => {
  for (const bytes of [0, 1, 999, 1000]) assert.equal((await readBoundedFile(place(bytes), 1000, 'f')).length, bytes);
  assert.equal(await readBoundedText(place(3), 1000, 'f'), 'xxx');
  await assert.rejects(readBoundedFile(place(1001), 1000, 'f'), tooLarge);
  await assert.rejects(readBoundedFile(place(100_000), 1000, 'f'), tooLarge);
});

it('stops at the limit if the size is unknown', { skip: !existsSync('/dev/zero') && 'no /dev/zero' }, async () => {
  await assert.rejects(readBoundedFile('/dev/zero', 1000, 'f'), tooLarge);
  const status = await readBoundedText('/proc/self/status', 1_000_000, 'f').catch(() => 'Name:');
  assert.match(status, /^Name:/, 'a file of size 0 that has content');
});

it('reports a missing file as the system does', async () => {
  await assert.rejects(readBoundedFile(join(folder, 'absent'), 1000, 'f'), { code: 'ENOENT' });
});
