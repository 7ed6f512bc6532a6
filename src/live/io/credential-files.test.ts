import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { credentialFiles } from './credential-files.ts';
import { RequestError } from '../ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-credentials-'));
after(() => rmSync(folder, { recursive: true }));
const files = credentialFiles(folder);

it('reads tokens and passwords without their line break', async () => {
  writeFileSync(join(folder, 'secret'), 'abc\n');
  assert.equal(await files.readToken('secret'), 'abc');
  assert.equal(await files.readPassword('secret'), 'abc');
  assert.equal((await files.readBytes('secret')).length, 4);
});

it('reads a device only up to a bound', { skip: !existsSync('/dev/zero') && 'no /dev/zero' }, async () => {
  for (const read of [files.readToken, files.readPassword, files.readBytes]) {
    await assert.rejects(read('/dev/zero'), (error: unknown) => {
      assert.ok(error instanceof RequestError && error.kind === 'credentials');
      assert.equal(error.message, 'cannot read a credentials file: /dev/zero: larger than 4194304 bytes');
      return true;
    });
  }
});
