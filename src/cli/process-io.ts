/**
 * The real `Io`.
 *
 * Nothing here calls process.exit after a write, because a pipe may still hold part of a large report: `flush` resolves
 * Nothing here calls process.exit after a write, because a pipe may still hold part of a large report: `flush` resolves
 * when everything is written, and the process then ends by itself. If the reader goes away (`oakum ... | head`), the
 * process ends at once and silently.
 */
import { fstatSync } from 'node:fs';
import { encodeText } from '../base/text.ts';
import { processTerminal } from './full-screen.ts';
import type { Io, Output } from './io.ts';
import { EXIT } from '../base/errors.ts';

export interface ProcessIo extends Io {
  readonly flush: () => Promise<void>;
}

// Reports are written in many small pieces; a system call for each would cost more than the report itself.
const BUFFER_CHARS = 1 << 16;

export function processIo(): ProcessIo {
  const stdout = new StreamOutput(process.stdout, fail);
  const stderr = new StreamOutput(process.stderr, () => {});
  return {
    get stdin() {
      return process.stdin;
    },
    get isPiped() {
      return isPiped();
    },
    stdout,
    stderr: {
      // Keeps the order: output written before an error appears before it.
      write(chunk) {
        stdout.drain();
        stderr.write(chunk);
        stderr.drain();
      },
      isTTY: stderr.isTTY,
      columns: stderr.columns,
    },
    get terminal() {
      const isTerminal = process.stdin.isTTY === true && stdout.isTTY && process.env['TERM'] !== 'dumb';
      return isTerminal ? processTerminal() : undefined;
    },
    env: process.env,
    cwd: process.cwd(),
    async flush() {
      await stdout.flush();
      await stderr.flush();
    },
  };
}

/** A pipe or a file; a service gives its children a socket, /dev/null or nothing. */
function isPiped(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile();
  } catch {
    return false;
  }
}

function fail(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.brokenPipe);
  process.stderr.write(`oakum: cannot write the output: ${error.message}\n`);
  process.exit(EXIT.actionFailed);
}

class StreamOutput implements Output {
  readonly isTTY: boolean;
  readonly columns: number;
  private readonly stream: NodeJS.WriteStream;
  private pending = '';

  constructor(stream: NodeJS.WriteStream, onError: (error: NodeJS.ErrnoException) => void) {
    this.stream = stream;
    this.isTTY = stream.isTTY === true;
    this.columns = stream.columns ?? 80;
    stream.on('error', onError);
  }

  write(chunk: string | Uint8Array): void {
    if (typeof chunk !== 'string') {
      this.drain();
      this.stream.write(chunk);
      return;
    }
    this.pending += chunk;
    if (this.isTTY || this.pending.length >= BUFFER_CHARS) this.drain();
  }

  drain(): void {
    if (this.pending === '') return;
    const text = this.pending;
    this.pending = '';
    this.stream.write(encodeText(text));
  }

  flush(): Promise<void> {
    this.drain();
    return new Promise(resolve => this.stream.write('', () => resolve()));
  }
}
