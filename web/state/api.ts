/**
 * Requests to the server's API. Paths start after `/api/v1`:
 *
 *     const fleet = await api<FleetView>('/fleet?hours=168');
 *     const heap = await apiBytes(`/profiles/${sha256}`);
 */
import { signal } from '@preact/signals';

const BASE = '/api/v1';

/** False in a page that is a single file: it may not even try. */
export const hasServer = signal(true);

export class ApiError extends Error {
  /** 0 when the server did not respond. */
  readonly status: number;
  /** What to do about it; may be ''. */
  readonly hint: string;

  constructor(message: string, status: number, hint: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

export function api<T>(path: string, init: RequestInit = {}): Promise<T> {
  return request(
    path,
    { ...init, headers: { accept: 'application/json', ...init.headers } },
    response => response.json() as Promise<T>,
  );
}

export function apiBytes(path: string, init: RequestInit = {}): Promise<Uint8Array> {
  return request(path, init, async response => new Uint8Array(await response.arrayBuffer()));
}

async function request<T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
  if (!hasServer.peek()) throw new ApiError('This page has no server.', 0, '');
  let response: Response;
  try {
    response = await fetch(BASE + path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError('The server is not responding.', 0, 'Is `oakum watch` still running?');
  }
  if (!response.ok) throw await failure(response);
  return read(response);
}

/** The server sends `{ "error": "a sentence", "hint": "a next step" }`; a proxy in between may send anything. */
async function failure(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const { error, hint } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const sentence = typeof error === 'string' ? error : `The server answered ${response.status} ${response.statusText}.`;
  return new ApiError(sentence, response.status, typeof hint === 'string' ? hint : '');
}
