import type { Terminal } from './full-screen.ts';

/** The parts of its process that a command uses. Tests pass `memoryIo()`; adapters read the files. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  /** Undefined if stdin or stdout is not a terminal. */
  readonly terminal?: Terminal | undefined;
}

export interface Output {
  /** Accepts everything at once and never fails; text may hold the escaped bytes of `base/text.ts`. */
  write(chunk: string | Uint8Array): void;
  readonly isTTY?: boolean;
  /** Width of the terminal, if it is one. */
  readonly columns?: number;
}
