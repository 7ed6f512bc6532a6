/** bin/oakum.js as a user runs it, with the dist/ of `npm run build`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

function launch(root: string, ...argv: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, 'bin/oakum.js'), ...argv], { encoding: 'utf8' });
}

describe('bin/oakum.js', () => {
  it('answers --version', () => {
    assert.equal(launch(ROOT, '--version').stdout, `oakum ${version}\n`);
  });

  it('runs the bundle', t => {
    if (!existsSync(join(ROOT, 'dist/cli/main.js'))) return t.skip('dist/ is not built: npm run build');
    assert.equal(launch(ROOT, 'version').stdout.split(' (')[0], `oakum ${version}`);
    assert.match(launch(ROOT, '--help').stdout, /^Examples:\n/);
    const unknown = launch(ROOT, 'nope');
    assert.equal(unknown.status, 2);
    assert.equal(unknown.stderr.split('\n').length, 2);
  });

  it('says in one line what to do without a bundle', () => {
    const bare = mkdtempSync(join(tmpdir(), 'oakum-'));
    try {
      cpSync(join(ROOT, 'bin'), join(bare, 'bin'), { recursive: true });
      cpSync(join(ROOT, 'package.json'), join(bare, 'package.json'));
      const result = launch(bare, 'pprof');
      assert.notEqual(result.status, 0);
      assert.equal(result.stderr, 'oakum: not built yet; run: npm run build\n');
    } finally {
      rmSync(bare, { recursive: true });
    }
  });
});
