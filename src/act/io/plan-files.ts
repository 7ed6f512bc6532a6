/** The files beside a plan: its log, and the scrapes of its nodes, as JSON lines. */
import { open, readFile, appendFile } from 'node:fs/promises';
import { parseJson, recordOf } from '../../base/json.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { PlanLog, VerifySamples } from '../ports.ts';
import { Failure, systemReason } from '../../base/errors.ts';
import type { VerifySample } from '../plan-verification.ts';

const MAX_LOG_BYTES = 64 * 1024 * 1024;
const MAX_SAMPLE_BYTES = 256 * 1024 * 1024;
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
      if (text.length > MAX_LOG_BYTES)
        throw new Failure('too-large', `${shown}: larger than 64 MiB, so not a log of ours`);
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

/** The scrapes of a plan's nodes as JSON lines beside it. */
export function verifySamplesFile(path: string, shown: string): VerifySamples {
  return {
    async read() {
      const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return Buffer.alloc(0);
        throw new Failure('unreadable', `${shown}: ${systemReason(error as Error)}`, { cause: error });
      });
      if (bytes.length > MAX_SAMPLE_BYTES)
        throw new Failure('too-large', `${shown}: larger than 256 MiB; move it away`);
      return bytes
        .toString('utf8')
        .split('\n')
        .flatMap(line => sampleOf(line) ?? [])
        .sort((a, b) => a.at - b.at);
    },
    async append(sample) {
      await appendFile(path, `${JSON.stringify(sample)}\n`, { mode: OWNER_ONLY }).catch((error: Error) => {
        throw new Failure('cannot-write', `${shown}: ${systemReason(error)}`, { cause: error });
      });
    },
  };
}

/** Undefined for a line that was cut, or is not ours. */
function sampleOf(line: string): VerifySample | undefined {
  const { node, at, values } = recordOf(parseJson(line));
  if (typeof node !== 'string' || typeof at !== 'number') return undefined;
  const numbers = Object.entries(recordOf(values)).filter((one): one is [string, number] => typeof one[1] === 'number');
  return { node, at, values: Object.fromEntries(numbers) };
}
