/** Lists and objects of an API server: whole or not at all. */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import { explain } from '../../live/doctor/explain.ts';
import { type Reply, replyJson } from '../../live/reply.ts';
import type { ClusterConnection } from '../../live/ports.ts';

export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unread'; readonly why: string; readonly status: number | null };

const PAGE = 500;
const MAX_PAGES = 40;
const MAX_BYTES = 64 * 1024 * 1024;

export class ClusterReader {
  readonly #cluster: ClusterConnection;
  readonly #deadlineSeconds: number;

  constructor(cluster: ClusterConnection, deadlineSeconds: number) {
    this.#cluster = cluster;
    this.#deadlineSeconds = deadlineSeconds;
  }

  async object(path: string): Promise<Read<JsonRecord>> {
    const reply = await this.#cluster.get(path, this.#limits());
    const why = this.#problem(reply, path);
    return why ?? { kind: 'read', value: replyJson(reply, MAX_BYTES) };
  }

  /** `path` may have a query. */
  async list(path: string): Promise<Read<readonly JsonRecord[]>> {
    const found: JsonRecord[] = [];
    let next = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = `limit=${PAGE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const reply = await this.#cluster.get(`${path}${path.includes('?') ? '&' : '?'}${query}`, this.#limits());
      const why = this.#problem(reply, path);
      if (why !== undefined) return why;
      const { items, metadata } = replyJson(reply, MAX_BYTES);
      found.push(...listOf(items).map(recordOf));
      next = textOf(recordOf(metadata)['continue']);
      if (next === '') break;
    }
    return { kind: 'read', value: found };
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.#cluster.post(path, body, this.#limits());
  }

  #limits(): { deadlineSeconds: number; maxBytes: number; accept: string } {
    return { deadlineSeconds: this.#deadlineSeconds, maxBytes: MAX_BYTES, accept: 'application/json' };
  }

  #problem(reply: Reply, path: string): { kind: 'unread'; why: string; status: number | null } | undefined {
    const { address } = this.#cluster;
    const why = explain(reply, { target: 'the cluster', via: 'api-server', address, path: path.replace(/\?.*$/, '') });
    if (why === undefined) return undefined;
    return {
      kind: 'unread',
      why: `${why.sentence}; ${why.nextStep}`,
      status: reply.kind === 'answer' ? reply.status : null,
    };
  }
}
