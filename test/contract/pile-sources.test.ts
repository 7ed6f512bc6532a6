/** The same files make the same pile: in a folder, an archive, a compressed archive, or an archive in another. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { filePile } from '../../src/evidence/io/pile.ts';
import { pileSourceContract } from './pile-source-contract.ts';

type Files = Readonly<Record<string, Uint8Array>>;

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-pile-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function tar(files: Files): Promise<Uint8Array> {
  return packTar(
    Object.entries(files).map(([name, body]) => ({ header: { name, size: body.length, type: 'file' as const }, body })),
  );
}

pileSourceContract({
  name: 'a folder',
  make: async (t, files) => {
    const path = newFolder(t);
    for (const [name, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), bytes);
    }
    return { source: filePile(), path };
  },
});

const ARCHIVES: Readonly<Record<string, (files: Files) => Promise<Uint8Array>>> = {
  'pile.tar': tar,
  'pile.tar.gz': async files => gzipSync(await tar(files)),
};

for (const [name, pack] of Object.entries(ARCHIVES)) {
  pileSourceContract({
    name,
    make: async (t, files) => {
      const path = join(newFolder(t), name);
      writeFileSync(path, await pack(files));
      return { source: filePile(), path };
    },
  });
}

pileSourceContract({
  name: 'an archive in an archive',
  make: async (t, files) => {
    const outer = join(newFolder(t), 'outer.tar');
    writeFileSync(outer, await tar({ 'inner.tgz': gzipSync(await tar(files)) }));
    const source = filePile({ limits: { maxNesting: 6 } });
    const path = `${outer}/inner.tgz`;
    // A file inside an archive has no path of its own to open.
    return { source: { read: paths => source.read(paths.map(one => (one === path ? outer : one))) }, path };
  },
});
