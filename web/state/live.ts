/**
 * The live connection: server-sent events from /api/v1/events, and the server's status.
 *
 *     connecting --> live <--> quiet (connected, but no event for a while)
 *                     |
 *                     v
 *                    lost --> retries with increasing delays, or at once when the user asks
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { WatchEvent, WatchStatus } from '../../src/watch/watch-model.ts';
import { api } from './api.ts';

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Milliseconds of the browser's clock. */
  | { readonly kind: 'quiet'; readonly sinceMs: number }
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly retryAtMs: number };

const QUIET_MS = 150_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
const KINDS = ['status', 'fleet', 'target', 'incident'] as const;

export const connection = signal<Connection>({ kind: 'connecting' });
export const status = signal<WatchStatus | null>(null);
/** Updated every second, for everything that shows an age. */
export const tickMs = signal(Date.now());

const statusAtMs = signal(Date.now());
/** The server's clock in Unix seconds. In a demo it runs faster than the browser's. */
export const serverNow: ReadonlySignal<number> = computed(() => {
  if (status.value === null) return tickMs.value / 1000;
  const { now, pace } = status.value;
  return now + (Math.max(0, tickMs.value - statusAtMs.value) / 1000) * pace;
});

type Listener = (event: WatchEvent | undefined) => void;

/** Keeps the signals above up to date. */
export class LiveConnection {
  readonly #listeners = new Set<Listener>();
  #source: EventSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #lastEventMs = Date.now();

  /** Returns a function that stops listening. After a reconnection listeners get undefined: anything may have changed. */
  onServerEvent(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    this.#startClock();
    this.#connect();
  }

  /** For a page without a server. */
  startAlone(known: WatchStatus): void {
    this.#startClock();
    setStatus(known);
  }

  #startClock(): void {
    setInterval(() => {
      tickMs.value = Date.now();
      // A server without targets sends no events.
      const expectsEvents = (status.value?.targetCount ?? 0) > 0;
      if (connection.value.kind === 'live' && expectsEvents && tickMs.value - this.#lastEventMs > QUIET_MS) {
        connection.value = { kind: 'quiet', sinceMs: this.#lastEventMs };
      }
    }, 1000);
  }

  retryNow(): void {
    clearTimeout(this.#retry);
    this.#connect();
  }

  #connect(): void {
    this.#source?.close();
    const wasLost = connection.value.kind === 'lost';
    void api<WatchStatus>('/status').then(setStatus, () => undefined);
    const opened = new EventSource('/api/v1/events');
    this.#source = opened;
    opened.onopen = () => {
      this.#retryMs = FIRST_RETRY_MS;
      this.#markLive();
      if (wasLost) for (const listener of this.#listeners) listener(undefined);
    };
    // The browser's own retries are invisible, and it gives up after some failures.
    opened.onerror = () => {
      opened.close();
      const nowMs = Date.now();
      const sinceMs = connection.value.kind === 'lost' ? connection.value.sinceMs : nowMs;
      connection.value = { kind: 'lost', sinceMs, retryAtMs: nowMs + this.#retryMs };
      this.#retry = setTimeout(() => this.#connect(), this.#retryMs);
      this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
    };
    const receive = (message: MessageEvent): void => this.#receive(message);
    for (const kind of KINDS) opened.addEventListener(kind, receive);
    opened.onmessage = receive;
  }

  #receive(message: MessageEvent): void {
    const event = JSON.parse(String(message.data)) as WatchEvent;
    this.#markLive();
    if (event.kind === 'status') setStatus(event.status);
    for (const listener of this.#listeners) listener(event);
  }

  #markLive(): void {
    this.#lastEventMs = Date.now();
    if (connection.value.kind !== 'live') connection.value = { kind: 'live' };
  }
}

function setStatus(received: WatchStatus): void {
  statusAtMs.value = Date.now();
  tickMs.value = statusAtMs.value;
  status.value = received;
}

export const LiveContext = createContext<LiveConnection | undefined>(undefined);

/** The connection of this tab. */
export function useLive(): LiveConnection {
  const live = useContext(LiveContext);
  if (live === undefined) throw new Error('there is no connection above this component');
  return live;
}
