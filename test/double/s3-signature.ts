/** Checks the signature of a request as S3 does (AWS Signature Version 4), with nothing of what made it. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface SignedRequest {
  readonly accessKeyId: string;
  readonly region: string;
  /** Unix seconds. */
  readonly signedAt: number;
  /** `x-amz-content-sha256`. */
  readonly bodyHash: string;
  readonly isSignedWith: (secret: string) => boolean;
}

/** Undefined if it is not signed. */
export function readSignature(request: IncomingMessage): SignedRequest | undefined {
  const { headers } = request;
  const [, id = '', date = '', region = '', names = '', given = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const time = String(headers['x-amz-date'] ?? '');
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  if (id === '' || year === undefined || !time.startsWith(date)) return undefined;
  const signed = names.split(';');
  // What decides must be signed.
  for (const name of Object.keys(headers))
    if ((name.startsWith('x-amz-') || name === 'host' || name === 'if-none-match') && !signed.includes(name))
      return undefined;
  const bodyHash = String(headers['x-amz-content-sha256'] ?? '');
  const url = new URL(request.url ?? '/', 'http://host');
  const canonical = [
    request.method,
    encoded(decodeURIComponent(url.pathname)).replaceAll('%2F', '/'),
    [...url.searchParams]
      .map(pair => pair.map(encoded).join('='))
      .sort()
      .join('&'),
    ...signed.map(name => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  return {
    accessKeyId: id,
    region,
    signedAt: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000,
    bodyHash,
    isSignedWith: secret => {
      const key = [date, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret}`);
      return timingSafeEqual(hmac(key, toSign), Buffer.from(given, 'hex'));
    },
  };
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
