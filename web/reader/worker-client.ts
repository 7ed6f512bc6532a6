/**
 * The page's side of the worker. Each profile is fetched and read once.
 *
 *     const opened = await openByKey(key);
 *     const { tree } = await askWorker('view', { after: key, before: undefined, options });
 */
import { apiBytes } from '../state/api.ts';
import type { Analysis } from '../../src/judge/analysis.ts';
import { formatBytes } from '../../src/base/say.ts';
import type { RequestKind, Requests, ResponseMessage, Responses } from './messages.ts';
import { localFile, localPile } from './local-files.ts';
import type { OpenedProfile } from './open-profile.ts';

/** The file cannot be read; the message says why and what to do. */
class UnreadableError extends Error {}

interface Pending {
  readonly resolve: (response: never) => void;
  readonly reject: (error: Error) => void;
}

/** A page shows at most two profiles; the others make going back fast. */
const MAX_OPEN = 6;

let worker: Worker | undefined;
let lastId = 0;
const pending = new Map<number, Pending>();
const opened = new Map<string, Promise<OpenedProfile>>();

export function askWorker<K extends RequestKind>(kind: K, request: Requests[K]): Promise<Responses[K]> {
  worker ??= startWorker();
  const id = ++lastId;
  return new Promise<Responses[K]>((resolve, reject) => {
    pending.set(id, { resolve: resolve as Pending['resolve'], reject });
    const sent: readonly { readonly bytes: Uint8Array }[] =
      'files' in request ? request.files : 'bytes' in request ? [request] : [];
    const transfer = sent.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    worker?.postMessage({ id, kind, request }, transfer);
  });
}

/** Opens a dropped file by its local key, or a profile of the server by its digest. */
export function openByKey(key: string): Promise<OpenedProfile> {
  const opening = opened.get(key) ?? contentOf(key).then(({ name, bytes }) => askWorker('open', { key, name, bytes }));
  // Move it to the end: the oldest is closed first. A failed one may be tried again.
  opened.delete(key);
  opened.set(key, opening);
  opening.catch(() => opened.delete(key));
  for (const oldest of opened.keys()) {
    if (opened.size <= MAX_OPEN) break;
    opened.delete(oldest);
    void askWorker('close', { key: oldest });
  }
  return opening;
}

/** Analyses a pile of dropped files by its local key. */
export async function analyzeByKey(key: string): Promise<Analysis> {
  const pile = localPile(key);
  if (pile === undefined) throw new UnreadableError(DROPPED_ELSEWHERE);
  const bytes = pile.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > MAX_PILE_BYTES) {
    throw new UnreadableError(`These files have ${formatBytes(bytes)}; read them with \`oakum analyze FOLDER\`.`);
  }
  const files = await Promise.all(
    pile.map(async ({ path, file }) => ({
      path,
      bytes: new Uint8Array(await file.arrayBuffer()),
      mtimeSeconds: file.lastModified / 1000,
    })),
  );
  return askWorker('analyze', { files });
}

const MAX_PILE_BYTES = 512 * 2 ** 20;
const DROPPED_ELSEWHERE = 'This was dropped in another tab or before a reload; drop it again.';

async function contentOf(key: string): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const file = localFile(key);
  if (file !== undefined) return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  if (key.startsWith('local-')) {
    throw new UnreadableError(DROPPED_ELSEWHERE);
  }
  return { name: 'profile', bytes: await apiBytes(`/profiles/${encodeURIComponent(key)}`) };
}

function startWorker(): Worker {
  const started = new Worker(new URL('./profile-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', (event: MessageEvent<ResponseMessage>) => {
    const message = event.data;
    const request = pending.get(message.id);
    pending.delete(message.id);
    if (message.ok) request?.resolve(message.response as never);
    else request?.reject(message.isBug ? new Error(message.message) : new UnreadableError(message.message));
  });
  // Most likely out of memory. Its profiles are lost; the next request starts a new worker.
  started.addEventListener('error', () => {
    for (const { reject } of pending.values()) {
      reject(new UnreadableError('The browser probably ran out of memory; try `oakum analyze FILE`.'));
    }
    pending.clear();
    opened.clear();
    started.terminate();
    worker = undefined;
  });
  return started;
}
