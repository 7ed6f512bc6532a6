/**
 * Server-sent events: every event of the watch goes to every reader. A new reader gets the status and a fleet event; one
 * that reconnects with the id of its last event gets what it missed.
 *
 *     id: mf2k9c-41
 *     event: target
 *     data: {"kind":"target","target":"node/worker-17","at":1760000000}
 */
import { unicodeEscaped } from '../../base/visible-text.ts';
import type { WatchEvent, WatchStatus } from '../watch-model.ts';
import { Refusal } from './refusal.ts';

/**
 * One reader of the event stream. Events that it has not read yet wait here, only the newest of each kind and subject:
 *
 *     target worker-17 at 100 ┐
 *     fleet at 100            ├─> fleet at 100, target worker-17 at 130
 *     target worker-17 at 130 ┘
 */
const encoder = new TextEncoder();

export interface HubLimits extends ClientLimits {
  readonly maxClients: number;
  /** How often a comment is sent: it keeps proxies from closing the connection, and shows when it is dead. */
  readonly heartbeatMs: number;
  /** Events kept for readers that reconnect. */
  readonly memory: number;
}

export const HUB_LIMITS: HubLimits = {
  maxClients: 64,
  heartbeatMs: 15_000,
  memory: 1024,
  maxWaiting: 2048,
  maxWaitingChars: 2 * 1024 * 1024,
  patienceMs: 40_000,
};

const RETRY_MS = 2000;

interface Sent {
  readonly subject: string;
  readonly text: string;
}

interface Reader {
  readonly client: EventClient;
  /** Closes the connection: a stream that nobody reads cannot be ended properly. */
  readonly disconnect: () => void;
}

export interface HubOptions {
  readonly status: () => WatchStatus;
  readonly limits: HubLimits;
  readonly log: (line: string) => void;
}

export class EventHub {
  readonly #options: HubOptions;
  readonly #readers = new Set<Reader>();
  readonly #recent: Sent[] = [];
  /** Tells our ids from those of another run of the server. */
  readonly #run = Date.now().toString(36);
  readonly #heartbeat: NodeJS.Timeout;
  #last = 0;
  #dropped = 0;
  #refused = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#beat(), options.limits.heartbeatMs).unref();
  }

  get counts(): { readonly readers: number; readonly dropped: number; readonly refused: number } {
    return { readers: this.#readers.size, dropped: this.#dropped, refused: this.#refused };
  }

  publish(event: WatchEvent): void {
    this.#last++;
    const sent = this.#format(event);
    this.#recent.push(sent);
    if (this.#recent.length > this.#options.limits.memory) this.#recent.shift();
    const nowMs = Date.now();
    for (const { client } of this.#readers) client.offer(sent.subject, sent.text, nowMs);
    this.#dropSlow(nowMs);
  }

  /** `leave` must be called when the connection ends. */
  join(
    lastEventId: string | undefined,
    disconnect: () => void,
  ): { readonly stream: ReadableStream<Uint8Array>; readonly leave: () => void } {
    const { limits, status } = this.#options;
    if (this.#readers.size >= limits.maxClients) {
      this.#refused++;
      throw new Refusal(
        503,
        `${limits.maxClients} pages follow this server already.`,
        'Close one of them, or poll /api/v1/status.',
        { 'retry-after': '30' },
      );
    }
    const current = status();
    const client = new EventClient(limits);
    const nowMs = Date.now();
    client.offer('retry', `retry: ${RETRY_MS}\n\n`, nowMs);
    const missed = this.#missedSince(lastEventId) ?? [this.#format({ kind: 'fleet', at: current.now })];
    for (const { subject, text } of [this.#format({ kind: 'status', status: current }), ...missed]) {
      client.offer(subject, text, nowMs);
    }
    const reader: Reader = { client, disconnect };
    this.#readers.add(reader);
    const leave = (): void => {
      this.#readers.delete(reader);
      client.close();
    };
    return { stream: client.stream, leave };
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const { client } of this.#readers) client.close();
    this.#readers.clear();
  }

  /** With the number of the last published event; the first events of a new reader have no number of their own. */
  #format(event: WatchEvent): Sent {
    const data = unicodeEscaped(JSON.stringify(event));
    return {
      subject: subjectOf(event),
      text: `id: ${this.#run}-${this.#last}\nevent: ${event.kind}\ndata: ${data}\n\n`,
    };
  }

  /** Undefined if it is not known what was missed. */
  #missedSince(lastEventId: string | undefined): readonly Sent[] | undefined {
    const [, run, digits] = /^([a-z0-9]+)-(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
    const missed = this.#last - Number(digits);
    if (run !== this.#run || missed < 0 || missed > this.#recent.length) return undefined;
    return this.#recent.slice(this.#recent.length - missed);
  }

  #beat(): void {
    const nowMs = Date.now();
    this.#dropSlow(nowMs);
    for (const { client } of this.#readers) client.offer('beat', ': beat\n\n', nowMs);
  }

  #dropSlow(nowMs: number): void {
    for (const reader of this.#readers) {
      if (!reader.client.isTooSlow(nowMs)) continue;
      this.#readers.delete(reader);
      this.#dropped++;
      this.#options.log('a reader of the event stream was too slow and was disconnected; it may reconnect');
      reader.client.close();
      reader.disconnect();
    }
  }
}

function subjectOf(event: WatchEvent): string {
  if (event.kind === 'target') return `target ${event.target}`;
  return event.kind === 'incident' ? `incident ${event.id}` : event.kind;
}

interface ClientLimits {
  readonly maxWaiting: number;
  readonly maxWaitingChars: number;
  /** A reader that reads nothing for so long is too slow. */
  readonly patienceMs: number;
}

class EventClient {
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
