/** Copies the files that the rows of a store name. No listing decides what there is: each is asked for by its name. */
import { BoundedWork } from '../base/bounded-work.ts';
import { CAPTURE_FILES, cellAt } from './tables.ts';
import type { StoreRows } from './store-rows.ts';
import { pagesOf } from './table-digest.ts';
import { StoreError, type EvidenceFile, type EvidenceFiles } from './ports.ts';

const AT_ONCE = 4;
/** Files are in memory as a whole while they are copied or checked: no more of them at once. */
const MAX_BYTES_AT_ONCE = 128 * 1024 * 1024;
const SAY_EVERY = 100;

export interface CheckedEvidence {
  readonly files: number;
  readonly bytes: number;
  /** Hashes of those that are not there. */
  readonly missing: readonly string[];
  /** Hashes of those that are not what was written. */
  readonly damaged: readonly string[];
}

/** Each once, however many captures name it. */
export async function namedFiles(rows: StoreRows): Promise<readonly EvidenceFile[]> {
  const found = new Map<string, number>();
  for await (const page of pagesOf(rows, CAPTURE_FILES))
    for (const row of page)
      found.set(String(cellAt(CAPTURE_FILES, row, 'sha256')), Number(cellAt(CAPTURE_FILES, row, 'bytes')));
  return Array.from(found, ([sha256, bytes]) => ({ sha256, bytes }));
}

/** Leaves alone what is there in its size; what the source does not have is found by the check that follows. */
export async function copyEvidence(
  named: readonly EvidenceFile[],
  from: Pick<EvidenceFiles, 'read'>,
  to: EvidenceFiles,
  say: (line: string) => void,
): Promise<void> {
  let done = 0;
  await each(named, async ({ sha256, bytes }) => {
    if ((await to.size(sha256)) !== bytes) {
      const content = await from.read(sha256).catch(unlessDamaged);
      if (content !== undefined) await to.put(sha256, content);
    }
    if (++done % SAY_EVERY === 0) say(`profiles: ${done} of ${named.length} copied`);
  });
}

/** Writes those again whose bytes there are not what they should be, and here are. */
export async function repairEvidence(
  damaged: readonly EvidenceFile[],
  from: Pick<EvidenceFiles, 'read'>,
  to: EvidenceFiles,
): Promise<void> {
  await each(damaged, async ({ sha256 }) => {
    const content = await from.read(sha256).catch(unlessDamaged);
    if (content === undefined) return;
    await to.remove(sha256);
    await to.put(sha256, content);
  });
}

/** Reads every file. */
export async function checkEvidence(
  named: readonly EvidenceFile[],
  files: Pick<EvidenceFiles, 'read'>,
  say: (line: string) => void,
): Promise<CheckedEvidence> {
  const [missing, damaged]: [string[], string[]] = [[], []];
  let [done, total] = [0, 0];
  await each(named, async ({ sha256, bytes }) => {
    try {
      const content = await files.read(sha256);
      if (content === undefined) missing.push(sha256);
      else if (content.length !== bytes) damaged.push(sha256);
      total += content?.length ?? 0;
    } catch (error) {
      unlessDamaged(error);
      damaged.push(sha256);
    }
    if (++done % SAY_EVERY === 0) say(`profiles: ${done} of ${named.length} checked`);
  });
  return { files: named.length, bytes: total, missing: missing.sort(), damaged: damaged.sort() };
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.kind !== 'damaged') throw error;
  return undefined;
}

async function each(files: readonly EvidenceFile[], work: (file: EvidenceFile) => Promise<void>): Promise<void> {
  const queue = files.values();
  const memory = new BoundedWork(MAX_BYTES_AT_ONCE);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const file of queue) await memory.do(file.bytes, () => work(file));
    }),
  );
}
