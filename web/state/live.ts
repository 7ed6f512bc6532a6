/**
 * The live connection: server-sent events of /api/v1/events, and what they say of the server.
 *
 *     connecting --> live <--> quiet (connected, no news for long)
 *                     |
 *                     v
 *                    lost --> tries again, later each time, and at once when asked
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { WatchEvent, WatchStatus } from '../../src/model/watch.ts';
import { api } from './api.ts';

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Times are of this machine's clock, in milliseconds. */
  | { readonly kind: 'quiet'; readonly sinceMs: number }
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly retryAtMs: number };

const QUIET_MS = 150_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
const KINDS = ['status', 'fleet', 'target', 'incident'] as const;

export const connection = signal<Connection>({ kind: 'connecting' });
export const status = signal<WatchStatus | null>(null);
/** Ticks each second, for whatever shows an age. */
export const tickMs = signal(Date.now());

const statusAtMs = signal(Date.now());
/** Unix seconds of the watched world, which may run faster than ours. */
export const worldNow: ReadonlySignal<number> = computed(() => {
  const known = status.value;
  if (known === null) return tickMs.value / 1000;
  return known.now + (Math.max(0, tickMs.value - statusAtMs.value) / 1000) * known.pace;
});

type Listener = (event: WatchEvent | undefined) => void;
const listeners = new Set<Listener>();

/** Returns how to stop listening. Also called, with undefined, after every reconnection: anything may have changed. */
export function onNews(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let retryMs = FIRST_RETRY_MS;
let newsAtMs = Date.now();

export function startLive(): void {
  setInterval(() => {
    tickMs.value = Date.now();
    // Where nothing is watched, there is no news to miss.
    const expectsNews = (status.value?.targetCount ?? 0) > 0;
    if (connection.value.kind === 'live' && expectsNews && tickMs.value - newsAtMs > QUIET_MS) {
      connection.value = { kind: 'quiet', sinceMs: newsAtMs };
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
  void api<WatchStatus>('/status').then(heardStatus, () => undefined);
  const opened = new EventSource('/api/v1/events');
  source = opened;
  opened.onopen = () => {
    retryMs = FIRST_RETRY_MS;
    heardNews();
    if (wasLost) for (const listener of listeners) listener(undefined);
  };
  // The browser would retry by itself, but invisibly and not after every failure.
  opened.onerror = () => {
    opened.close();
    const nowMs = Date.now();
    const sinceMs = connection.value.kind === 'lost' ? connection.value.sinceMs : nowMs;
    connection.value = { kind: 'lost', sinceMs, retryAtMs: nowMs + retryMs };
    retry = setTimeout(connect, retryMs);
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
  };
  for (const kind of KINDS) opened.addEventListener(kind, heard);
  opened.onmessage = heard;
}

function heard(message: MessageEvent): void {
  const event = JSON.parse(String(message.data)) as WatchEvent;
  heardNews();
  if (event.kind === 'status') heardStatus(event.status);
  for (const listener of listeners) listener(event);
}

function heardNews(): void {
  newsAtMs = Date.now();
  if (connection.value.kind !== 'live') connection.value = { kind: 'live' };
}

function heardStatus(known: WatchStatus): void {
  statusAtMs.value = Date.now();
  tickMs.value = statusAtMs.value;
  status.value = known;
}
