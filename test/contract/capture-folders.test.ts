/** Every capture folder fulfils the contract: on disk and in memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureFolder, scratchFolder } from '../../src/live/io/capture-folder.ts';
import { captureFolderContract } from './capture-folder-contract.ts';

captureFolderContract({
  name: 'on disk',
  make: t => {
    const root = mkdtempSync(join(tmpdir(), 'oakum-folder-'));
    t.after(() => rmSync(root, { recursive: true, force: true }));
    const path = join(root, 'capture');
    return { folder: captureFolder(path, './shown'), content: name => readFileSync(join(path, name)) };
  },
});

captureFolderContract({
  name: 'in memory',
  make: () => {
    const folder = scratchFolder('memory');
    return { folder, content: name => folder.content(name) };
  },
});
