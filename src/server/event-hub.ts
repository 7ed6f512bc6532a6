/**
 * Server-sent events: what the watch tells goes to every reader. A new reader is told the status and to look at the
 * fleet; one that comes back with the id of the last event it saw gets what it missed.
 *
 *     id: mf2k9c-41
 *     event: target
 *     data: {"kind":"target","target":"node/worker-17","at":1760000000}
 */
import { unicodeEscaped } from '../base/visible-text.ts';
import type { WatchEvent, WatchStatus } from '../model/watch.ts';
import { EventClient, type ClientLimits } from './event-client.ts';
import { Refusal } from './refusal.ts';

export interface HubLimits extends ClientLimits {
  readonly maxClients: number;
  /** A comment is sent so often, so that proxies keep the connection and a dead one is noticed. */
  readonly heartbeatMs: number;
  /** Events kept for those who come back. */
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
  /** Breaks the connection: a stream that nobody reads cannot be ended in order. */
  readonly cut: () => void;
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
  /** Ids of another run of the server are not taken for ours. */
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

  tell(event: WatchEvent): void {
    this.#last++;
    const sent = this.#written(event);
    this.#recent.push(sent);
    if (this.#recent.length > this.#options.limits.memory) this.#recent.shift();
    const nowMs = Date.now();
    for (const { client } of this.#readers) client.offer(sent.subject, sent.text, nowMs);
    this.#dropSlow(nowMs);
  }

  /** `leave` must be called when the connection ends. */
  join(
    lastEventId: string | undefined,
    cut: () => void,
  ): { readonly stream: ReadableStream<Uint8Array>; readonly leave: () => void } {
    const { limits, status } = this.#options;
    if (this.#readers.size >= limits.maxClients) {
      this.#refused++;
      throw new Refusal(
        503,
        `${limits.maxClients} pages follow this server already.`,
        'Close one of them, or ask for /api/v1/status from time to time.',
        { 'retry-after': '30' },
      );
    }
    const current = status();
    const client = new EventClient(limits);
    const nowMs = Date.now();
    client.offer('retry', `retry: ${RETRY_MS}\n\n`, nowMs);
    const missed = this.#missedSince(lastEventId) ?? [this.#written({ kind: 'fleet', at: current.now })];
    for (const { subject, text } of [this.#written({ kind: 'status', status: current }), ...missed]) {
      client.offer(subject, text, nowMs);
    }
    const reader: Reader = { client, cut };
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

  /** With the number of the last event told; what a new reader is told first has no number of its own. */
  #written(event: WatchEvent): Sent {
    const data = unicodeEscaped(JSON.stringify(event));
    return {
      subject: subjectOf(event),
      text: `id: ${this.#run}-${this.#last}\nevent: ${event.kind}\ndata: ${data}\n\n`,
    };
  }

  /** Undefined when it is not known what was missed. */
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
      this.#options.log('a reader of the event stream was too slow and was dropped; it may come back');
      reader.client.close();
      reader.cut();
    }
  }
}

function subjectOf(event: WatchEvent): string {
  if (event.kind === 'target') return `target ${event.target}`;
  return event.kind === 'incident' ? `incident ${event.id}` : event.kind;
}
