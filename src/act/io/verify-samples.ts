/** The scrapes of a plan's nodes as JSON lines beside it. */
import { appendFile, readFile } from 'node:fs/promises';
import { parseJson, recordOf } from '../../base/json.ts';
import type { VerifySample } from '../verify/plan-verification.ts';
import type { VerifySamples } from '../ports.ts';
import { Failure, systemReason } from '../../base/errors.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const OWNER_ONLY = 0o600;

export function verifySamplesFile(path: string, shown: string): VerifySamples {
  return {
    async read() {
      const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return Buffer.alloc(0);
        throw new Failure('unreadable', `${shown}: ${systemReason(error as Error)}`, { cause: error });
      });
      if (bytes.length > MAX_BYTES) throw new Failure('too-large', `${shown}: larger than 256 MiB; move it away`);
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
