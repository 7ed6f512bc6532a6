/**
 * One answer of the API on a page: asked for when the page opens, again when there is news of it, and kept while a
 * later question fails, so that nothing flickers and nothing is lost.
 */
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { WatchEvent } from '../../src/model/watch.ts';
import { api, ApiError } from './api.ts';
import { onNews } from './live.ts';

export interface Resource<T> {
  /** The last answer, also of the previous path until the next one comes. */
  readonly data: T | undefined;
  /** Why there is no answer, or no newer one. */
  readonly error: ApiError | undefined;
  /** True once the first answer is 300 ms late. */
  readonly slow: boolean;
  readonly refresh: () => void;
}

/** Between two questions for the same thing, however much news there is. */
const LEAST_MS = 1_000;
const SKELETON_AFTER_MS = 300;

interface State<T> {
  path: string | undefined;
  data: T | undefined;
  error: ApiError | undefined;
  slow: boolean;
}

/** `pathNow` is asked each time, so that a window that ends now moves on; undefined: not yet known what to ask. */
export function useResource<T>(
  key: string,
  pathNow: () => string | undefined,
  concerns: (event: WatchEvent) => boolean,
): Resource<T> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const state = useRef<State<T>>({ path: undefined, data: undefined, error: undefined, slow: false }).current;
  const ask = useRef<() => void>(() => undefined);

  useEffect(() => {
    let inFlight: AbortController | undefined;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    let askedAtMs = -Infinity;
    const late = setTimeout(() => {
      if (state.data !== undefined || state.error !== undefined) return;
      state.slow = true;
      redraw(0);
    }, SKELETON_AFTER_MS);

    const load = async (): Promise<void> => {
      const path = pathNow();
      if (path === undefined) return;
      askedAtMs = performance.now();
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
      // One question at a time: news that comes meanwhile is answered by the next.
      const wait = Math.max(0, askedAtMs + LEAST_MS - performance.now());
      waiting = setTimeout(() => {
        waiting = undefined;
        if (inFlight === undefined) void load();
        else soon();
      }, wait);
    };
    ask.current = () => {
      askedAtMs = -Infinity;
      soon();
    };
    void load();
    const stop = onNews(event => {
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

  return { data: state.data, error: state.error, slow: state.slow, refresh: () => ask.current() };
}

/** Not there, or not allowed any more: what was shown is not true now. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 401 || error.status === 403);
}
