/**
 * Data from the API for a page. Fetched when the page opens and again when the server reports a change. If a later
 * request fails, the page keeps the last data.
 */
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { WatchEvent } from '../../src/watch/watch-model.ts';
import { api, ApiError } from './api.ts';
import { useLive } from './live.ts';

export interface ApiData<T> {
  /** The last answer; after a change of the path, the old one until the new one arrives. */
  readonly data: T | undefined;
  /** What that answers. */
  readonly path: string | undefined;
  /** Why there is no data, or no newer data. */
  readonly error: ApiError | undefined;
  /** True if the first answer takes more than 300 ms. */
  readonly slow: boolean;
  readonly refresh: () => void;
  /** The same, and the answer that is on its way is not needed any more. */
  readonly supersede: () => void;
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
  const live = useLive();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const state = useRef<State<T>>({ path: undefined, data: undefined, error: undefined, slow: false }).current;
  const reload = useRef<(supersedes: boolean) => void>(() => undefined);

  useEffect(() => {
    let inFlight: AbortController | undefined;
    /** One request at a time: whatever happens meanwhile triggers the next. */
    let isNextDue = false;
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
        if (mine.signal.aborted) return;
        Object.assign(state, { path, data, error: undefined, slow: false });
      } catch (error) {
        if (mine.signal.aborted) return;
        const kept = isGone(error) ? { data: undefined } : {};
        Object.assign(state, { ...kept, error: error as ApiError, slow: false });
      } finally {
        if (inFlight === mine) inFlight = undefined;
      }
      redraw(0);
      if (!isNextDue || inFlight !== undefined) return;
      isNextDue = false;
      void load();
    };
    const soon = (): void => {
      if (waiting !== undefined) return;
      const wait = Math.max(0, requestedAtMs + MIN_INTERVAL_MS - performance.now());
      waiting = setTimeout(() => {
        waiting = undefined;
        if (inFlight === undefined) void load();
        else isNextDue = true;
      }, wait);
    };
    reload.current = supersedes => {
      if (inFlight !== undefined && !supersedes) isNextDue = true;
      else {
        inFlight?.abort();
        void load();
      }
    };
    void load();
    const stop = live.onServerEvent(event => {
      if (event === undefined || concerns(event)) soon();
    });
    return () => {
      stop();
      clearTimeout(late);
      clearTimeout(waiting);
      isNextDue = false;
      inFlight?.abort();
      inFlight = undefined;
    };
  }, [key]);

  const { data, path, error, slow } = state;
  return { data, path, error, slow, refresh: () => reload.current(false), supersede: () => reload.current(true) };
}

/** Not found, or no longer allowed: the data on the page is no longer valid. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 401 || error.status === 403);
}

export interface AsyncValue<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
}

/** The result of `load`, called again when `inputs` change. Keeps the last value until then; ignores outdated results. */
export function useAsync<T>(load: () => Promise<T> | undefined, inputs: readonly unknown[]): AsyncValue<T> {
  const [state, setState] = useState<AsyncValue<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    let isCurrent = true;
    load()?.then(
      value => isCurrent && setState({ value, error: undefined }),
      (error: unknown) =>
        isCurrent &&
        setState(known => ({ ...known, error: error instanceof Error ? error : new Error(String(error)) })),
    );
    return () => void (isCurrent = false);
  }, inputs);
  return state;
}
