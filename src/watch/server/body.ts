/** A body that may be sent many times: hashed once, compressed at most once per encoding. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

type Encoding = 'br' | 'gzip';

export interface Body {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly etag: string;
  readonly encoded: (encoding: Encoding) => Promise<Uint8Array>;
}

export interface BodyOptions {
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
