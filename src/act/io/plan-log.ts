/**
 * The log of a plan as a file of JSON lines. Each record is on disk before `append` resolves: what follows it may be an
 * act that cannot be undone.
 */
import { open, readFile } from 'node:fs/promises';
import { parseJson, recordOf } from '../../base/json.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { PlanLog } from '../ports.ts';
import { Failure, systemReason } from '../../base/errors.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/** `shown` is the path as the user knows it. */
export function planLogFile(path: string, shown: string): PlanLog {
  return {
    place: shown,
    async read() {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw new Failure('unreadable', `${shown}: ${systemReason(error as Error)}`, { cause: error });
      }
      if (text.length > MAX_BYTES) throw new Failure('too-large', `${shown}: larger than 64 MiB, so not a log of ours`);
      return recordsIn(text, shown);
    },
    async append(record) {
      try {
        const file = await open(path, 'a', OWNER_ONLY);
        try {
          const { size } = await file.stat();
          // A crash cut the last line: it starts again on one of its own.
          const needsBreak = size > 0 && (await lastByte(path, size)) !== 10;
          await file.write(`${needsBreak ? '\n' : ''}${JSON.stringify(record)}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
      } catch (error) {
        throw new Failure('cannot-write', `${shown}: ${systemReason(error as Error)}`, { cause: error });
      }
    },
  };
}

async function lastByte(path: string, size: number): Promise<number | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0];
  } finally {
    await file.close();
  }
}

function recordsIn(text: string, shown: string): PlanRecord[] {
  const lines = text.split('\n').filter(line => line !== '');
  const records: PlanRecord[] = [];
  for (const [index, line] of lines.entries()) {
    const record = recordOf(parseJson(line));
    const isRecord = record['schema'] === 'oakum.plan-log/v1' && typeof record['kind'] === 'string';
    if (isRecord) records.push(record as unknown as PlanRecord);
    // Cut lines come from crashes; anything else is not ours.
    else if (line.startsWith('{"schema":"oakum.plan-log/v1"') || '{"schema":"oakum.plan-log/v1"'.startsWith(line))
      continue;
    else throw new Failure('unreadable', `${shown}: line ${index + 1} is not a record of a plan`);
  }
  return records;
}
