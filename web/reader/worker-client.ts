/**
 * The page's side of the worker: asks, and gets a promise. Profiles are fetched and read once.
 *
 *     const opened = await openStored(key);
 *     const { tree } = await askDesk('view', { after: key, before: undefined, choice });
 */
import { apiBytes } from '../state/api.ts';
import type { Answers, Asked, Questions, Reply } from './messages.ts';
import { localFile } from './local-files.ts';
import type { OpenedProfile } from './open-profile.ts';

/** A file that cannot be read: the sentence says what it is and what to do. */
export class UnreadableError extends Error {}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** A page shows two at most; the others are for going back. */
const MAX_OPEN = 6;

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, Waiting>();
const opened = new Map<string, Promise<OpenedProfile>>();

export function askDesk<K extends Asked>(ask: K, question: Questions[K]): Promise<Answers[K]> {
  worker ??= startWorker();
  const id = ++lastId;
  return new Promise<Answers[K]>((resolve, reject) => {
    waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
    const transfer = 'bytes' in question ? [question.bytes.buffer as ArrayBuffer] : [];
    worker?.postMessage({ id, ask, question }, transfer);
  });
}

/** The profile of a key: a dropped file of this tab, or the server's by its digest. */
export function openStored(key: string): Promise<OpenedProfile> {
  const opening = opened.get(key) ?? contentOf(key).then(({ name, bytes }) => askDesk('open', { key, name, bytes }));
  // Last in the order of use; what failed may be tried again.
  opened.delete(key);
  opened.set(key, opening);
  opening.catch(() => opened.delete(key));
  for (const oldest of opened.keys()) {
    if (opened.size <= MAX_OPEN) break;
    opened.delete(oldest);
    void askDesk('close', { key: oldest });
  }
  return opening;
}

async function contentOf(key: string): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const file = localFile(key);
  if (file !== undefined) return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  if (key.startsWith('local-')) {
    throw new UnreadableError('This file was opened in another tab or before a reload; drop it again.');
  }
  return { name: key.slice(0, 12), bytes: await apiBytes(`/profiles/${encodeURIComponent(key)}`) };
}

function startWorker(): Worker {
  const started = new Worker(new URL('./profile-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', (event: MessageEvent<Reply>) => {
    const reply = event.data;
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.ok) asked?.resolve(reply.answer as never);
    else asked?.reject(reply.isBug ? new Error(reply.message) : new UnreadableError(reply.message));
  });
  // Out of memory, most likely: whatever it held is gone, and the next question starts another.
  started.addEventListener('error', () => {
    for (const { reject } of waiting.values()) {
      reject(new UnreadableError('The browser gave up on it, probably for lack of memory; try `oakum analyze FILE`.'));
    }
    waiting.clear();
    opened.clear();
    started.terminate();
    worker = undefined;
  });
  return started;
}
