/**
 * Every place for the files of captures fulfils the contract: a folder, a bucket, a bucket with a spool before it, and the
 * one in memory for tests.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { EvidenceFolder } from '../../src/store/io/evidence-folder.ts';
import type { EvidenceBucket } from '../../src/store/io/evidence-bucket.ts';
import { SYSTEM_CLOCK } from '../../src/live/io/clocks.ts';
import { SpooledEvidence } from '../../src/store/spooled-evidence.ts';
import { MemoryEvidence } from '../double/memory-evidence.ts';
import { bucketAt } from '../double/s3-evidence.ts';
import { S3Server } from '../double/s3-server.ts';
import { isInTheTable } from './counted-tests.ts';
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

const server = new S3Server();
before(() => server.listen());
after(() => server.close());
let prefixes = 0;

/** As it is, and with what not every server has. */
for (const [how, hasConditions] of [
  ['', true],
  [' without conditions', false],
] as const)
  evidenceFilesContract({
    name: `a bucket${how}, in a double of S3`,
    make: async () => {
      server.hasConditions = hasConditions;
      const prefix = `some folder/${prefixes++}`;
      const open = (): EvidenceBucket =>
        bucketAt(`s3://${server.bucket}/${prefix}?endpoint=${server.url}`, undefined, { pageSize: 10 });
      return {
        files: open(),
        another: async () => open(),
        spoil: async (sha256, bytes) =>
          void server.objects.set(`${prefix}/evidence/${sha256.slice(0, 2)}/${sha256}`, bytes),
      };
    },
  });

evidenceFilesContract({
  name: 'a bucket with a spool before it, in a double of S3',
  make: async t => {
    server.hasConditions = true;
    const prefix = `spooled/${prefixes++}`;
    const folder = mkdtempSync(join(root, 'spool-'));
    const open = async (): Promise<SpooledEvidence> => {
      const bucket = bucketAt(`s3://${server.bucket}/${prefix}?endpoint=${server.url}`);
      const files = new SpooledEvidence(bucket, new EvidenceFolder(folder), { clock: SYSTEM_CLOCK, random: () => 1 });
      await files.open();
      t.after(() => files.close());
      return files;
    };
    return {
      files: await open(),
      another: open,
      spoil: async (sha256, bytes) =>
        void server.objects.set(`${prefix}/evidence/${sha256.slice(0, 2)}/${sha256}`, bytes),
    };
  },
});

isInTheTable();
