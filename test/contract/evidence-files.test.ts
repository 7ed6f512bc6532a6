/** Every place for the files of captures fulfils the contract: a folder, and the one in memory that tests use. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { EvidenceFolder } from '../../src/adapters/files/evidence-folder.ts';
import { MemoryEvidence } from '../double/memory-evidence.ts';
import { evidenceFilesContract } from './evidence-files-contract.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-evidence-'));
after(() => rmSync(root, { recursive: true, force: true }));

evidenceFilesContract({
  name: 'a folder',
  make: async () => {
    const folder = mkdtempSync(join(root, 'blobs-'));
    const open = async (): Promise<EvidenceFolder> => {
      const files = new EvidenceFolder(folder);
      await files.open();
      return files;
    };
    return {
      files: await open(),
      another: open,
      spoil: async (sha256, bytes) => writeFileSync(join(folder, sha256.slice(0, 2), sha256.slice(2)), bytes),
    };
  },
});

evidenceFilesContract({
  name: 'in memory, for tests',
  make: async () => {
    const kept = new Map<string, Uint8Array>();
    return {
      files: new MemoryEvidence('memory', kept),
      another: async () => new MemoryEvidence('memory', kept),
      spoil: async (sha256, bytes) => void kept.set(sha256, bytes),
    };
  },
});
