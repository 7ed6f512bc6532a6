/** An `Io` in memory: keeps all output for tests to read. */
import { concatBytes, decodeText, encodeText } from '../../src/base/text.ts';
import type { Io, Output } from '../../src/cli/io.ts';

export interface MemoryIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  readonly outBytes: () => Uint8Array;
}

export interface MemoryIoOptions {
  /** Piped in, if given. */
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export function memoryIo(options: MemoryIoOptions = {}): MemoryIo {
  const stdout = memoryOutput();
  const stderr = memoryOutput();
  return {
    stdin: once(options.stdin ?? ''),
    isPiped: options.stdin !== undefined,
    stdout,
    stderr,
    env: options.env ?? {},
    cwd: options.cwd ?? '/',
    out: () => decodeText(stdout.bytes()),
    err: () => decodeText(stderr.bytes()),
    outBytes: () => stdout.bytes(),
  };
}

function memoryOutput(): Output & { bytes: () => Uint8Array } {
  const chunks: Uint8Array[] = [];
  return {
    write: chunk => void chunks.push(typeof chunk === 'string' ? encodeText(chunk) : chunk.slice()),
    bytes: () => concatBytes(chunks),
  };
}

async function* once(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof input === 'string' ? encodeText(input) : input;
}
