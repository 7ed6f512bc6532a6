/**
 * The real `Io`.
 *
 * Nothing here calls process.exit after a write: a pipe may still hold a part of a large report. `flush` resolves when
 * all of it has left, and the process then ends by itself. A reader that goes away (`oakum ... | head`) ends us at
 * once and without a word.
 */
import { encodeText } from '../../base/text.ts';
import { EXIT } from '../../base/exit-codes.ts';
import type { Io, Output } from './io.ts';

export interface ProcessIo extends Io {
  readonly flush: () => Promise<void>;
}

// Reports are written in many small pieces; one system call each would cost more than the report.
const BUFFER_CHARS = 1 << 16;

export function processIo(): ProcessIo {
  const stdout = new StreamOutput(process.stdout, fail);
  const stderr = new StreamOutput(process.stderr, () => {});
  return {
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr: {
      // What was printed before an error is seen before it.
      write(chunk) {
        stdout.drain();
        stderr.write(chunk);
        stderr.drain();
      },
      isTTY: stderr.isTTY,
      columns: stderr.columns,
    },
    env: process.env,
    cwd: process.cwd(),
    async flush() {
      await stdout.flush();
      await stderr.flush();
    },
  };
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
