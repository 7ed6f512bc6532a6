/**
 * The server's API, as the pages ask it. Paths start after `/api/v1`:
 *
 *     const fleet = await api<FleetView>('/fleet?hours=168');
 *     const heap = await apiBytes(`/profiles/${sha256}`);
 */
import { signal } from '@preact/signals';

const BASE = '/api/v1';

/** How the last request went: 'down' while the server does not answer at all. */
export const reach = signal<'unknown' | 'up' | 'down'>('unknown');

export class ApiError extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  /** What to do about it; '' when nobody said. */
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
    answer => answer.json() as Promise<T>,
  );
}

export function apiBytes(path: string, init: RequestInit = {}): Promise<Uint8Array> {
  return request(path, init, async answer => new Uint8Array(await answer.arrayBuffer()));
}

async function request<T>(path: string, init: RequestInit, read: (answer: Response) => Promise<T>): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(BASE + path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reach.value = 'down';
    throw new ApiError('The server does not answer.', 0, 'Is `oakum watch` still running?');
  }
  reach.value = 'up';
  if (!answer.ok) throw await failure(answer);
  return read(answer);
}

/** The server says `{ "error": "a sentence", "hint": "a next step" }`; something between us and it may say anything. */
async function failure(answer: Response): Promise<ApiError> {
  const body: unknown = await answer.json().catch(() => null);
  const { error, hint } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const sentence = typeof error === 'string' ? error : `The server answered ${answer.status} ${answer.statusText}.`;
  return new ApiError(sentence, answer.status, typeof hint === 'string' ? hint : '');
}
