/**
 * Data from the API for a page. Fetched when the page opens and again when the server reports a change. If a later
 * request fails, the page keeps the last data.
 */
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { WatchEvent } from '../../src/model/watch.ts';
import { api, ApiError } from './api.ts';
import { onServerEvent } from './live.ts';

export interface ApiData<T> {
  /** The last answer; after a change of the path, the old one until the new one arrives. */
  readonly data: T | undefined;
  /** Why there is no data, or no newer data. */
  readonly error: ApiError | undefined;
  /** True if the first answer takes more than 300 ms. */
  readonly slow: boolean;
  readonly refresh: () => void;
}

/** The shortest time between two requests, however many events there are. */
const MIN_INTERVAL_MS = 1_000;
const SKELETON_AFTER_MS = 300;

interface State<T> {
  path: string | undefined;
  data: T | undefined;
  error: ApiError | undefined;
  slow: boolean;
}

/** `pathNow` is called for every request, so that a range that ends now moves on; undefined means not ready yet. */
export function useApi<T>(
  key: string,
  pathNow: () => string | undefined,
  concerns: (event: WatchEvent) => boolean,
): ApiData<T> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const state = useRef<State<T>>({ path: undefined, data: undefined, error: undefined, slow: false }).current;
  const reload = useRef<() => void>(() => undefined);

  useEffect(() => {
    let inFlight: AbortController | undefined;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    let requestedAtMs = -Infinity;
    const late = setTimeout(() => {
      if (state.data !== undefined || state.error !== undefined) return;
      state.slow = true;
      redraw(0);
    }, SKELETON_AFTER_MS);

    const load = async (): Promise<void> => {
      const path = pathNow();
      if (path === undefined) return;
      requestedAtMs = performance.now();
      const mine = (inFlight = new AbortController());
      try {
        const data = await api<T>(path, { signal: mine.signal });
        Object.assign(state, { path, data, error: undefined, slow: false });
      } catch (error) {
        if (mine.signal.aborted) return;
        const kept = isGone(error) ? { data: undefined } : {};
        Object.assign(state, { ...kept, error: error as ApiError, slow: false });
      } finally {
        if (inFlight === mine) inFlight = undefined;
      }
      redraw(0);
    };
    const soon = (): void => {
      if (waiting !== undefined) return;
      // One request at a time: an event that arrives meanwhile triggers the next.
      const wait = Math.max(0, requestedAtMs + MIN_INTERVAL_MS - performance.now());
      waiting = setTimeout(() => {
        waiting = undefined;
        if (inFlight === undefined) void load();
        else soon();
      }, wait);
    };
    reload.current = () => {
      requestedAtMs = -Infinity;
      soon();
    };
    void load();
    const stop = onServerEvent(event => {
      if (event === undefined || concerns(event)) soon();
    });
    return () => {
      stop();
      clearTimeout(late);
      clearTimeout(waiting);
      inFlight?.abort();
      inFlight = undefined;
    };
  }, [key]);

  return { data: state.data, error: state.error, slow: state.slow, refresh: () => reload.current() };
}

/** Not found, or no longer allowed: the data on the page is no longer valid. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 401 || error.status === 403);
}
