/**
 * The page's side of the worker, and the files given to this tab, which stay in it: `local-1`, `local-2` ..., and
 * several together as `pile-1`. Each profile is fetched and read once.
 *
 *     const reader = useReader();
 *     const opened = await reader.open(key);
 *     const { tree } = await reader.ask('view', { after: key, before: undefined, options });
 */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { apiBytes } from '../state/api.ts';
import type { Analysis } from '../../src/judge/analysis.ts';
import { formatBytes } from '../../src/base/say.ts';
import type { RequestKind, Requests, ResponseMessage, Responses } from './messages.ts';
import type { OpenedProfile } from './open-profile.ts';
import type { PileFile } from './pile-items.ts';

export interface GivenFile {
  /** With its folders: `worker-17/heap.pb.gz`. */
  readonly path: string;
  readonly file: File;
}

export interface LocalFile extends GivenFile {
  readonly key: string;
}

/** The file cannot be read; the message says why and what to do. */
class UnreadableError extends Error {}

interface Pending {
  readonly resolve: (response: never) => void;
  readonly reject: (error: Error) => void;
}

/** A page shows at most two profiles; the others make going back fast. */
const MAX_OPEN = 6;
const MAX_PILE_BYTES = 512 * 2 ** 20;
const DROPPED_ELSEWHERE = 'This was dropped in another tab or before a reload; drop it again.';

export class ProfileReader {
  readonly #files = new Map<string, File>();
  readonly #piles = new Map<string, readonly LocalFile[]>();
  readonly #pending = new Map<number, Pending>();
  readonly #opened = new Map<string, Promise<OpenedProfile>>();
  readonly #newWorker: () => Worker;
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(newWorker: () => Worker) {
    this.#newWorker = newWorker;
  }

  /** The key of a file that was dropped or chosen. */
  keep(file: File): string {
    const key = `local-${this.#files.size + 1}`;
    this.#files.set(key, file);
    return key;
  }

  keepPile(members: readonly LocalFile[]): string {
    const key = `pile-${this.#piles.size + 1}`;
    this.#piles.set(key, members);
    return key;
  }

  localFile(key: string): File | undefined {
    return this.#files.get(key);
  }

  pile(key: string): readonly LocalFile[] | undefined {
    return this.#piles.get(key);
  }

  ask<K extends RequestKind>(kind: K, request: Requests[K]): Promise<Responses[K]> {
    this.#worker ??= this.#startWorker();
    const id = ++this.#lastId;
    return new Promise<Responses[K]>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      const sent: readonly { readonly bytes: Uint8Array }[] =
        'files' in request ? request.files : 'bytes' in request ? [request] : [];
      const transfer = sent.map(({ bytes }) => bytes.buffer as ArrayBuffer);
      this.#worker?.postMessage({ id, kind, request }, transfer);
    });
  }

  /** Opens a file by its local key, or a profile of the server by its digest. */
  open(key: string): Promise<OpenedProfile> {
    const opening =
      this.#opened.get(key) ?? this.#contentOf(key).then(({ name, bytes }) => this.ask('open', { key, name, bytes }));
    // Move it to the end: the oldest is closed first. A failed one may be tried again.
    this.#opened.delete(key);
    this.#opened.set(key, opening);
    opening.catch(() => this.#opened.delete(key));
    for (const oldest of this.#opened.keys()) {
      if (this.#opened.size <= MAX_OPEN) break;
      this.#opened.delete(oldest);
      void this.ask('close', { key: oldest });
    }
    return opening;
  }

  /** Analyses a pile of files by its local key. */
  async analyze(key: string): Promise<Analysis> {
    return this.ask('analyze', { files: await this.#filesOf(key) });
  }

  /** A report on a pile as Markdown, without the names in it. */
  async report(key: string, oakumVersion: string): Promise<string> {
    return this.ask('report', { files: await this.#filesOf(key), oakumVersion });
  }

  async #filesOf(key: string): Promise<readonly PileFile[]> {
    const pile = this.#piles.get(key);
    if (pile === undefined) throw new UnreadableError(DROPPED_ELSEWHERE);
    const bytes = pile.reduce((sum, { file }) => sum + file.size, 0);
    if (bytes > MAX_PILE_BYTES) {
      throw new UnreadableError(`These files have ${formatBytes(bytes)}; read them with \`oakum analyze FOLDER\`.`);
    }
    return Promise.all(
      pile.map(async ({ path, file }) => ({
        path,
        bytes: new Uint8Array(await file.arrayBuffer()),
        mtimeSeconds: file.lastModified / 1000,
      })),
    );
  }

  async #contentOf(key: string): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
    const file = this.#files.get(key);
    if (file !== undefined) return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    if (key.startsWith('local-')) throw new UnreadableError(DROPPED_ELSEWHERE);
    return { name: 'profile', bytes: await apiBytes(`/profiles/${encodeURIComponent(key)}`) };
  }

  #startWorker(): Worker {
    const started = this.#newWorker();
    started.addEventListener('message', (event: MessageEvent<ResponseMessage>) => {
      const message = event.data;
      const request = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.ok) request?.resolve(message.response as never);
      else request?.reject(message.isBug ? new Error(message.message) : new UnreadableError(message.message));
    });
    // Most likely out of memory. Its profiles are lost; the next request starts a new worker.
    started.addEventListener('error', () => {
      for (const { reject } of this.#pending.values()) {
        reject(new UnreadableError('The browser probably ran out of memory; try `oakum analyze FILE`.'));
      }
      this.#pending.clear();
      this.#opened.clear();
      started.terminate();
      this.#worker = undefined;
    });
    return started;
  }
}

export const ReaderContext = createContext<ProfileReader | undefined>(undefined);

/** The reader of this tab. */
export function useReader(): ProfileReader {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('there is no reader above this component');
  return reader;
}
