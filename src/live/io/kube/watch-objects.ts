/**
 * Lists objects of a cluster and follows their changes, as informers do.
 *
 *     GET PATH?limit=500                                     pages, then
 *     GET PATH?watch=1&resourceVersion=...&timeoutSeconds=.. changes since then, again and again
 *
 * A watch is a series of requests of some seconds, each read as a whole: every request stays bounded in time and bytes.
 * After 410 Gone the version is too old: everything is listed again, and what is no longer in the list is removed.
 */
import { decodeText } from '../../../base/text.ts';
import { parseJson, parseJsonBytes, recordOf, textOf } from '../../../base/json.ts';
import type { KubeObject } from '../../../evidence/formats/kube-objects.ts';
import type { ClusterConnection } from '../../ports.ts';
import type { Reply } from '../../reply.ts';

export interface ObjectHandlers {
  /** Added or changed, or listed again. */
  readonly changed: (object: KubeObject) => void;
  readonly removed: (name: string) => void;
  /** A request succeeded. */
  readonly answered: () => void;
  /** A request failed; it is repeated, with growing pauses. */
  readonly failed: (reply: Reply, path: string) => void;
}

export interface WatchTiming {
  readonly sleep: (seconds: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** How long one request lasts: changes arrive that late at most. */
  readonly watchSeconds: number;
}

const PAGE_OBJECTS = 500;
const MAX_PAGES = 200;
/** Five hundred nodes with all their images, or the events of a bad hour. */
const MAX_BYTES = 64 * 1024 * 1024;
const LIST_SECONDS = 30;
const GRACE_SECONDS = 15;
const FIRST_PAUSE_SECONDS = 1;
const MAX_PAUSE_SECONDS = 60;
/** Lines between two yields to other work. */
const CHUNK_LINES = 100;

/** `path` is, for example, `/api/v1/nodes`, with its selectors. Ends when the signal aborts. */
export async function watchObjects(
  cluster: ClusterConnection,
  path: string,
  handlers: ObjectHandlers,
  timing: WatchTiming,
  signal: AbortSignal,
): Promise<void> {
  const watch = new ObjectWatch(cluster, path, handlers, timing, signal);
  await watch.run();
}

class ObjectWatch {
  readonly #cluster: ClusterConnection;
  readonly #path: string;
  readonly #handlers: ObjectHandlers;
  readonly #timing: WatchTiming;
  readonly #signal: AbortSignal;
  /** '' if everything has to be listed. */
  #version = '';
  #names = new Set<string>();
  #pauseSeconds = 0;

  constructor(
    cluster: ClusterConnection,
    path: string,
    handlers: ObjectHandlers,
    timing: WatchTiming,
    signal: AbortSignal,
  ) {
    this.#cluster = cluster;
    this.#path = path;
    this.#handlers = handlers;
    this.#timing = timing;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { sleep, random } = this.#timing;
    while (!this.#signal.aborted) {
      const went = this.#version === '' ? await this.#list() : await this.#watchChanges();
      if (went) {
        this.#pauseSeconds = 0;
        this.#handlers.answered();
      } else {
        this.#pauseSeconds = Math.min(MAX_PAUSE_SECONDS, Math.max(FIRST_PAUSE_SECONDS, 2 * this.#pauseSeconds));
        // Others may have lost the API server at the same time.
        await sleep(this.#pauseSeconds * (0.5 + random()), this.#signal);
      }
    }
  }

  async #list(): Promise<boolean> {
    const seen = new Set<string>();
    let token = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const reply = await this.#get({ limit: String(PAGE_OBJECTS), ...(token === '' ? {} : { continue: token }) });
      const list = bodyOf(reply);
      // If a continue token has expired, the next list starts from the beginning.
      if (list === undefined) return this.#failed(reply);
      const items = Array.isArray(list['items']) ? list['items'].map(recordOf) : [];
      for (const item of items) {
        seen.add(nameOf(item));
        this.#handlers.changed(item);
      }
      const metadata = recordOf(list['metadata']);
      token = textOf(metadata['continue']);
      if (token !== '') continue;
      for (const name of this.#names) if (!seen.has(name)) this.#handlers.removed(name);
      this.#names = seen;
      this.#version = textOf(metadata['resourceVersion']);
      return this.#version !== '';
    }
    return false;
  }

  /** The changes since the version that this request returns. */
  async #watchChanges(): Promise<boolean> {
    const { watchSeconds } = this.#timing;
    const reply = await this.#get(
      {
        watch: '1',
        resourceVersion: this.#version,
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(Math.ceil(watchSeconds)),
      },
      watchSeconds + GRACE_SECONDS,
    );
    if (reply.kind !== 'answer' || reply.status !== 200) {
      if (reply.kind === 'answer' && reply.status === 410) return this.#listAgain();
      return this.#failed(reply);
    }
    const lines = decodeText(reply.body).split('\n');
    // The last line of an answer that was cut is incomplete.
    if (reply.cut !== undefined) lines.pop();
    for (const [i, line] of lines.entries()) {
      if (i % CHUNK_LINES === CHUNK_LINES - 1) await new Promise(resolve => setImmediate(resolve));
      const change = line === '' ? undefined : parseJson(line);
      if (change !== undefined && !this.#apply(recordOf(change))) return this.#listAgain();
    }
    // An answer that was cut for its size would be cut again.
    return reply.cut?.why === 'too-large' ? this.#listAgain() : true;
  }

  /** False if the version is too old. */
  #apply(change: KubeObject): boolean {
    const object = recordOf(change['object']);
    if (change['type'] === 'ERROR') return false;
    const version = textOf(recordOf(object['metadata'])['resourceVersion']);
    if (version !== '') this.#version = version;
    const name = nameOf(object);
    if (change['type'] === 'DELETED') {
      this.#names.delete(name);
      this.#handlers.removed(name);
    } else if (change['type'] === 'ADDED' || change['type'] === 'MODIFIED') {
      this.#names.add(name);
      this.#handlers.changed(object);
    }
    return true;
  }

  #listAgain(): boolean {
    this.#version = '';
    return true;
  }

  #failed(reply: Reply): boolean {
    if (!this.#signal.aborted) this.#handlers.failed(reply, this.#path);
    return false;
  }

  #get(query: Record<string, string>, deadlineSeconds = LIST_SECONDS): Promise<Reply> {
    const joint = this.#path.includes('?') ? '&' : '?';
    return this.#cluster.get(`${this.#path}${joint}${new URLSearchParams(query)}`, {
      deadlineSeconds,
      maxBytes: MAX_BYTES,
      accept: 'application/json',
      signal: this.#signal,
    });
  }
}

function bodyOf(reply: Reply): KubeObject | undefined {
  if (reply.kind !== 'answer' || reply.status !== 200 || reply.cut !== undefined) return undefined;
  const body = parseJsonBytes(reply.body, MAX_BYTES);
  return body === undefined ? undefined : recordOf(body);
}

function nameOf(object: KubeObject): string {
  return textOf(recordOf(object['metadata'])['name']);
}
