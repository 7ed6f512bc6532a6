/** The end of what a process printed, and the line of it that says why it ended. */
const TAIL_CHARS = 64 * 1024;
const CRASH = /^(?:panic|fatal error|runtime|signal|SIG[A-Z]+): ?.*$/m;
/** What Node.js prints last when it dies of an exception, below the error and its stack. */
const NODE_ERROR = /^(?:Uncaught )?(?:\w*Error|AssertionError)\b.*$/m;
const NODE_END = /^Node\.js v\d/;

export class OutputTail {
  #tail = '';

  add(text: string): void {
    this.#tail = (this.#tail + text).slice(-TAIL_CHARS);
  }

  /** The line of a Go crash or of an exception of Node.js, else the last line; '' if nothing was printed. */
  line(): string {
    const tail = this.#tail.trim();
    const last = tail.split('\n').at(-1)?.trim() ?? '';
    const why = CRASH.exec(tail) ?? (NODE_END.test(last) ? NODE_ERROR.exec(tail) : null);
    return why?.[0].trim() ?? last;
  }
}
