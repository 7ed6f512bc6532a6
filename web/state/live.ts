/**
 * The live connection: server-sent events from /api/v1/events, and the server's status.
 *
 *     connecting --> live <--> quiet (connected, but no event for a while)
 *                     |
 *                     v
 *                    lost --> retries with increasing delays, or at once when the user asks
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
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
const listeners = new Set<Listener>();

/** Returns a function that stops listening. After a reconnection listeners get undefined: anything may have changed. */
export function onServerEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let retryMs = FIRST_RETRY_MS;
let lastEventMs = Date.now();

export function startLive(): void {
  setInterval(() => {
    tickMs.value = Date.now();
    // A server without targets sends no events.
    const expectsEvents = (status.value?.targetCount ?? 0) > 0;
    if (connection.value.kind === 'live' && expectsEvents && tickMs.value - lastEventMs > QUIET_MS) {
      connection.value = { kind: 'quiet', sinceMs: lastEventMs };
    }
  }, 1000);
  connect();
}

export function retryNow(): void {
  clearTimeout(retry);
  connect();
}

function connect(): void {
  source?.close();
  const wasLost = connection.value.kind === 'lost';
  void api<WatchStatus>('/status').then(setStatus, () => undefined);
  const opened = new EventSource('/api/v1/events');
  source = opened;
  opened.onopen = () => {
    retryMs = FIRST_RETRY_MS;
    markLive();
    if (wasLost) for (const listener of listeners) listener(undefined);
  };
  // The browser's own retries are invisible, and it gives up after some failures.
  opened.onerror = () => {
    opened.close();
    const nowMs = Date.now();
    const sinceMs = connection.value.kind === 'lost' ? connection.value.sinceMs : nowMs;
    connection.value = { kind: 'lost', sinceMs, retryAtMs: nowMs + retryMs };
    retry = setTimeout(connect, retryMs);
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
  };
  for (const kind of KINDS) opened.addEventListener(kind, receive);
  opened.onmessage = receive;
}

function receive(message: MessageEvent): void {
  const event = JSON.parse(String(message.data)) as WatchEvent;
  markLive();
  if (event.kind === 'status') setStatus(event.status);
  for (const listener of listeners) listener(event);
}

function markLive(): void {
  lastEventMs = Date.now();
  if (connection.value.kind !== 'live') connection.value = { kind: 'live' };
}

function setStatus(received: WatchStatus): void {
  statusAtMs.value = Date.now();
  tickMs.value = statusAtMs.value;
  status.value = received;
}
