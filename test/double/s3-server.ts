/**
 * A server that speaks as much S3 as Oakum asks for: objects, ranges, conditions, listings in pages, and STS. It checks
 * signatures itself, and misbehaves on demand.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSignature, type SignedRequest } from './s3-signature.ts';

export interface S3Fault {
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  /** More elements of the answer: `<Region>eu-west-1</Region>`. */
  readonly more?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of XML. */
  readonly body?: string;
  /** reset: no answer at all; cut: half of a good answer; hang: none until the server is closed. */
  readonly how?: 'reset' | 'cut' | 'hang';
  /** Does what was asked before it fails. */
  readonly isDone?: boolean;
}

export interface S3Keys {
  secret: string;
  token?: string | undefined;
}

const MAX_SKEW_SECONDS = 900;
const PAGE = 1000;

export class S3Server {
  readonly bucket: string = 'evidence-bucket';
  readonly objects: Map<string, Uint8Array> = new Map();
  readonly keys: Map<string, S3Keys> = new Map([['AKIDEXAMPLE', { secret: 'secret/example+key' }]]);
  /** `PUT /bucket/key`: what was asked, in order. */
  readonly requests: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  region = 'us-east-1';
  /** How much its clock is ahead of ours. */
  aheadSeconds = 0;
  hasConditions = true;
  /** Objects that a listing does not show yet. */
  readonly unlisted: Set<string> = new Set();
  /** Tokens that STS takes, and how long the keys that it gives last. */
  readonly webTokens: Map<string, { readonly accessKeyId: string; readonly seconds: number }> = new Map();
  /** Called for each request, before it is answered. */
  fault: (request: string) => S3Fault | undefined = () => undefined;
  #url = '';
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  get url(): string {
    return this.#url;
  }

  async listen(): Promise<this> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '/', 'http://host');
    const asked = `${request.method} ${decodeURIComponent(url.pathname)}${url.search}`;
    this.requests.push(asked);
    this.headers.push(request.headers);
    response.setHeader('date', new Date(Date.now() + this.aheadSeconds * 1000).toUTCString());
    const fault = this.fault(asked);
    if (fault?.how === 'hang') return;
    if (fault?.isDone === true) this.#serve(request, url, body);
    if (fault?.how === 'reset') return void response.socket?.destroy();
    if (fault !== undefined && fault.how === undefined) return send(response, failed(fault));
    const result = request.method === 'POST' ? this.#assumeRole(body) : this.#serve(request, url, body);
    if (fault?.how !== 'cut') return send(response, result);
    response.writeHead(result.status, { ...result.headers, 'content-length': String(result.body.length) });
    response.write(result.body.subarray(0, Math.floor(result.body.length / 2)), () => response.socket?.destroy());
  }

  #serve(request: IncomingMessage, url: URL, body: Uint8Array): Result {
    const signed = readSignature(request);
    const refusal = this.#refusal(request, signed, body);
    if (refusal !== undefined) return failed(refusal);
    const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
    if (bucket !== this.bucket)
      return failed({ status: 404, code: 'NoSuchBucket', message: 'The specified bucket does not exist' });
    const key = rest.join('/');
    if (request.method === 'GET' && key === '') return this.#list(url.searchParams);
    if (request.method === 'PUT') return this.#put(request, key, body);
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    }
    return this.#get(request, key);
  }

  #refusal(request: IncomingMessage, signed: SignedRequest | undefined, body: Uint8Array): S3Fault | undefined {
    if (signed === undefined) return { status: 403, code: 'AccessDenied', message: 'Access Denied' };
    const keys = this.keys.get(signed.accessKeyId);
    if (keys === undefined) return { status: 403, code: 'InvalidAccessKeyId', message: 'No such key.' };
    if (request.headers['x-amz-security-token'] !== keys.token)
      return { status: 400, code: 'ExpiredToken', message: 'The provided token has expired.' };
    if (Math.abs(signed.signedAt - Date.now() / 1000 - this.aheadSeconds) > MAX_SKEW_SECONDS)
      return { status: 403, code: 'RequestTimeTooSkewed', message: 'The difference is too large.' };
    if (signed.region !== this.region)
      return {
        status: 400,
        code: 'AuthorizationHeaderMalformed',
        message: `the region '${signed.region}' is wrong; expecting '${this.region}'`,
        more: `<Region>${this.region}</Region>`,
      };
    if (!signed.isSignedWith(keys.secret))
      return { status: 403, code: 'SignatureDoesNotMatch', message: 'The signature does not match.' };
    if (signed.bodyHash !== createHash('sha256').update(body).digest('hex'))
      return { status: 400, code: 'XAmzContentSHA256Mismatch', message: 'The hash is another.' };
    return undefined;
  }

  #put(request: IncomingMessage, key: string, body: Uint8Array): Result {
    if (request.headers['if-none-match'] !== undefined) {
      if (!this.hasConditions) return failed({ status: 501, code: 'NotImplemented', message: 'If-None-Match' });
      if (this.objects.has(key))
        return failed({ status: 412, code: 'PreconditionFailed', message: 'At least one condition did not hold' });
    }
    this.objects.set(key, Buffer.from(body));
    return { status: 200, headers: { etag: etagOf(body) }, body: Buffer.alloc(0) };
  }

  #get(request: IncomingMessage, key: string): Result {
    const object = this.objects.get(key);
    if (object === undefined)
      return failed({ status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' });
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined) return { status: 200, headers: { etag: etagOf(object) }, body: Buffer.from(object) };
    if (Number(from) >= object.length) return failed({ status: 416, code: 'InvalidRange', message: 'not satisfiable' });
    const part = Buffer.from(object.subarray(Number(from), Number(to) + 1));
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${object.length}`;
    return { status: 206, headers: { etag: etagOf(object), 'content-range': range }, body: part };
  }

  #list(query: URLSearchParams): Result {
    const all = [...this.objects.keys()].filter(
      key => key.startsWith(query.get('prefix') ?? '') && !this.unlisted.has(key),
    );
    const rest = all.sort().filter(key => key > (query.get('continuation-token') ?? ''));
    const page = rest.slice(0, Number(query.get('max-keys') ?? PAGE));
    const isTruncated = page.length < rest.length;
    const contents = page.map(
      key => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length}</Size></Contents>`,
    );
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const body = `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) };
  }

  #assumeRole(body: Uint8Array): Result {
    const form = new URLSearchParams(Buffer.from(body).toString());
    const given = this.webTokens.get(form.get('WebIdentityToken') ?? '');
    if (given === undefined || form.get('Action') !== 'AssumeRoleWithWebIdentity')
      return failed({ status: 400, code: 'InvalidIdentityToken', message: 'Token is not valid' });
    const { accessKeyId, seconds } = given;
    const { secret = '', token = '' } = this.keys.get(accessKeyId) ?? {};
    const until = new Date(Date.now() + seconds * 1000).toISOString();
    const text = `<AssumeRoleWithWebIdentityResponse><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${until}</Expiration></Credentials></AssumeRoleWithWebIdentityResponse>`;
    return { status: 200, headers: {}, body: Buffer.from(text) };
  }
}

interface Result {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function failed({
  status = 500,
  code = 'InternalError',
  message = '',
  more = '',
  headers = {},
  body,
}: S3Fault): Result {
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message>${more}</Error>`;
  return { status, headers: { 'content-type': 'application/xml', ...headers }, body: Buffer.from(body ?? xml) };
}

function send(response: ServerResponse, { status, headers, body }: Result): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) }).end(body);
}
