import { memoryIo } from '../double/memory-io.ts';
import { run } from '../../src/cli/run.ts';

export interface Output {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** `oakum pprof` in this process. A thrown error is a failure like any other. */
export async function runOakum(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Output> {
  process.env.TZ = 'UTC';
  const io = memoryIo({ cwd, env: { TZ: 'UTC', ...env } });
  try {
    const exitCode = await run(['pprof', ...argv], io);
    return { exitCode, stdout: io.outBytes(), stderr: io.err() };
  } catch (error) {
    return { exitCode: -1, stdout: io.outBytes(), stderr: `${io.err()}${(error as Error).stack ?? String(error)}\n` };
  }
}
