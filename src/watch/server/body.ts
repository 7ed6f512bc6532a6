/** A body that may be sent many times: hashed once, compressed at most once per encoding. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isGzip, isText } from '../../base/sniff.ts';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { concatBytes, decodeText } from '../../base/text.ts';
import { Refusal } from './refusal.ts';
import type { WatchEvent } from '../watch-model.ts';

type Encoding = 'br' | 'gzip';

export interface Body {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly etag: string;
  readonly encoded: (encoding: Encoding) => Promise<Uint8Array>;
}

interface BodyOptions {
  /** For content that is compressed only once, and well. */
  readonly brotliQuality?: number;
  /** The hash of the content, if it is known already. */
  readonly hash?: string;
}

/** Below this, compression saves nothing: the answer fits into one packet. */
const WORTH_COMPRESSING_BYTES = 1400;
/** Above this, better compression takes longer than a local network. */
const LARGE_BYTES = 1024 * 1024;
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript|manifest)|image\/svg)/;

const deflate = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export function body(bytes: Uint8Array, type: string, options: BodyOptions = {}): Body {
  const hash = options.hash ?? createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const made = new Map<Encoding, Promise<Uint8Array>>();
  const compress = (encoding: Encoding): Promise<Uint8Array> =>
    encoding === 'gzip'
      ? deflate.gzip(bytes)
      : deflate.br(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: options.brotliQuality ?? (bytes.byteLength > LARGE_BYTES ? 2 : 4),
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
          },
        });
  return {
    bytes,
    type,
    // Weak: the same for every encoding.
    etag: `W/"${hash}"`,
    encoded: encoding => {
      const known = made.get(encoding) ?? compress(encoding);
      made.set(encoding, known);
      return known;
    },
  };
}

type Header = (name: string) => string | undefined;

/** 200 with the body in the encoding that the client prefers, or 304 if it has the body already. */
export async function bodyAnswer(
  { bytes, type, etag, encoded }: Body,
  header: Header,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const shared = { ...headers, etag, vary: 'Accept-Encoding' };
  if (isCached(header('if-none-match'), etag)) return new Response(null, { status: 304, headers: shared });
  const worthIt = bytes.byteLength >= WORTH_COMPRESSING_BYTES && COMPRESSIBLE.test(type);
  const encoding = worthIt ? preferred(header('accept-encoding') ?? '') : undefined;
  const sent = encoding === undefined ? bytes : await encoded(encoding);
  return new Response(sent as Uint8Array<ArrayBuffer>, {
    headers: {
      ...shared,
      'content-type': type,
      'content-length': String(sent.byteLength),
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
  });
}

function isCached(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some(tag => opaque(tag) === opaque(etag));
}

function preferred(acceptEncoding: string): Encoding | undefined {
  const accepted = new Set<string>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', quality = ''] = part.split(';');
    if (!/^\s*q=0(?:\.0*)?\s*$/.test(quality)) accepted.add(name.trim());
  }
  return (['br', 'gzip'] as const).find(encoding => accepted.has(encoding));
}

/** Names of downloads: safe on every file system and in a header, whatever they come from. */
export function attachment(name: string): Readonly<Record<string, string>> {
  return { 'content-disposition': `attachment; filename="${safeFileName(name)}"` };
}

/** Letters, digits, dots, dashes and underscores; no leading dot; at most 120 characters, the end kept. */
function safeFileName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/\.{2,}/g, '.');
  return (safe.length > 120 ? safe.slice(0, 90) + safe.slice(-30) : safe).replace(/^[.-]+/, '') || 'download';
}

/** A stored file is a profile as it came: gzipped, or the text of a dump. */
export function profileName(sha256: string, bytes: Uint8Array): { readonly name: string; readonly type: string } {
  const short = sha256.slice(0, 12);
  if (isGzip(bytes)) return { name: `${short}.pb.gz`, type: 'application/octet-stream' };
  if (bytes.length > 0 && isText(bytes)) return { name: `${short}.txt`, type: 'text/plain; charset=utf-8' };
  return { name: `${short}.pb`, type: 'application/octet-stream' };
}

/** The body of a request, within a limit. */

/** A request without a length and without chunks has no body. */
export async function postedText(
  c: Context<{ readonly Bindings: Partial<HttpBindings> }>,
  maxBytes: number,
): Promise<string> {
  const { incoming } = c.env;
  const tooLong = (): Refusal => new Refusal(413, `The request is longer than ${maxBytes} bytes.`);
  const length = Number(c.req.header('content-length') ?? 0);
  if (length > maxBytes) throw tooLong();
  if (incoming === undefined) return c.req.text();
  if (length === 0 && c.req.header('transfer-encoding') === undefined) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return decodeText(concatBytes(chunks));
}

const LIFE_MS = 1000;
const MAX_ANSWERS = 64;

interface Kept {
  readonly topic: string;
  readonly body: Promise<Body>;
}

/**
 * Shares answers between clients that send the same request at about the same time: after an event, every open page
 * reloads at once. An answer is kept for a second, or until an event changes its topic.
 */
export class AnswerCache {
  readonly #kept = new Map<string, Kept>();

  get(key: string, topic: string, make: () => Promise<Body>): Promise<Body> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known.body;
    if (this.#kept.size >= MAX_ANSWERS) return make();
    const kept: Kept = { topic, body: make() };
    this.#kept.set(key, kept);
    const forget = (): void => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    };
    kept.body.then(() => setTimeout(forget, LIFE_MS).unref(), forget);
    return kept.body;
  }

  /** Also drops an answer that is being made, which may have started before the event. */
  invalidate(event: WatchEvent): void {
    const topics = topicsOf(event);
    for (const [key, { topic }] of this.#kept) if (topics.includes(topic)) this.#kept.delete(key);
  }
}

function topicsOf(event: WatchEvent): readonly string[] {
  switch (event.kind) {
    case 'status':
      return ['status'];
    case 'fleet':
      return ['fleet', 'catalogue'];
    case 'target':
      return [`target ${event.target}`];
    case 'incident':
      return ['incidents', `incident ${event.id}`, 'catalogue'];
  }
}
