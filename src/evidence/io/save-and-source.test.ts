import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { saveFetchedProfile } from './save-profile.ts';
import { sourceTextReader } from './source-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('saveFetchedProfile', () => {
  const bytes = Uint8Array.of(1, 2, 3);

  it('numbers what it saves, for the owner alone', async () => {
    const env = { PPROF_TMPDIR: join(folder, 'deep/tmp') };
    for (const number of ['001', '002']) {
      const saved = await saveFetchedProfile('pprof.kubelet.heap.', bytes, env);
      assert.deepEqual(saved, { path: join(folder, `deep/tmp/pprof.kubelet.heap.${number}.pb.gz`) });
    }
    const path = join(folder, 'deep/tmp/pprof.kubelet.heap.001.pb.gz');
    assert.deepEqual(new Uint8Array(readFileSync(path)), bytes);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('falls back to the home folder', async () => {
    writeFileSync(join(folder, 'file'), '');
    const saved = await saveFetchedProfile('p.', bytes, { PPROF_TMPDIR: join(folder, 'file/x'), HOME: folder });
    assert.deepEqual(saved, { path: join(folder, 'pprof/p.001.pb.gz') });
  });

  it('never leaves its folder, whatever the name', async () => {
    const saved = await saveFetchedProfile('pprof.../../../x.', bytes, { PPROF_TMPDIR: join(folder, 'in') });
    assert.ok('path' in saved && saved.path.startsWith(join(folder, 'in/')), JSON.stringify(saved));
  });
});

describe('sourceTextReader', () => {
  mkdirSync(join(folder, 'src/pkg/sub'), { recursive: true });
  writeFileSync(join(folder, 'src/pkg/a.go'), 'one\r\ntwo\n\nfour');
  const asIs = (path: string): string => path;

  it('looks in the path and in all its parents', () => {
    const read = sourceTextReader(`/nowhere:${join(folder, 'src/pkg/sub')}`, asIs);
    const want = { lines: ['one', 'two', '', 'four'] };
    assert.deepEqual(read('pkg/a.go'), want);
    assert.deepEqual(read('a.go'), want);
    assert.deepEqual(read(join(folder, 'src/pkg/a.go')), want);
    assert.equal(read('a.go'), read('a.go'), 'read once');
  });

  it('says why not', () => {
    const read = sourceTextReader(folder, asIs);
    assert.deepEqual(read('gone.go'), { error: `could not find file gone.go on path ${folder}` });
    assert.deepEqual(read('/gone.go'), { error: 'open /gone.go: no such file or directory' });
    assert.deepEqual(read(folder), { error: `open ${folder}: is a directory` });
  });
});
