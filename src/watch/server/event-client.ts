/**
 * One reader of the event stream. Events that it has not read yet wait here, only the newest of each kind and subject:
 *
 *     target worker-17 at 100 ┐
 *     fleet at 100            ├─> fleet at 100, target worker-17 at 130
 *     target worker-17 at 130 ┘
 */
const encoder = new TextEncoder();

export interface ClientLimits {
  readonly maxWaiting: number;
  readonly maxWaitingChars: number;
  /** A reader that reads nothing for so long is too slow. */
  readonly patienceMs: number;
}

export class EventClient {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #limits: ClientLimits;
  readonly #waiting = new Map<string, string>();
  #waitingChars = 0;
  #waitingSinceMs = 0;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(limits: ClientLimits) {
    this.#limits = limits;
    // The stream itself buffers nothing: it is pulled when the socket has room.
    this.stream = new ReadableStream(
      { pull: controller => this.#pull(controller), cancel: () => this.close() },
      { highWaterMark: 0 },
    );
  }

  /** `text` is sent as it is; it replaces one of the same subject that still waits. */
  offer(subject: string, text: string, nowMs: number): void {
    if (this.#closed) return;
    if (this.#waiting.size === 0) this.#waitingSinceMs = nowMs;
    this.#waitingChars += text.length - (this.#waiting.get(subject)?.length ?? 0);
    this.#waiting.delete(subject);
    this.#waiting.set(subject, text);
    this.#wake?.();
  }

  isTooSlow(nowMs: number): boolean {
    const { maxWaiting, maxWaitingChars, patienceMs } = this.#limits;
    if (this.#waiting.size === 0) return false;
    if (this.#waiting.size > maxWaiting || this.#waitingChars > maxWaitingChars) return true;
    return nowMs - this.#waitingSinceMs > patienceMs;
  }

  /** Ends the stream without sending what still waits. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    this.#wake?.();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#waiting.size === 0 && !this.#closed) {
      await new Promise<void>(resolve => (this.#wake = resolve));
      this.#wake = undefined;
    }
    if (this.#closed) {
      controller.close();
      return;
    }
    controller.enqueue(encoder.encode([...this.#waiting.values()].join('')));
    this.#waiting.clear();
    this.#waitingChars = 0;
  }
}
