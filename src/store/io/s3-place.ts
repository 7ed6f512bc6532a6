/**
 * Where in S3 the evidence is:
 *
 *     s3://bucket/prefix                                              AWS
 *     s3://bucket/prefix?endpoint=http://minio:9000&region=eu-west-1  any other server, by paths
 *
 * Options of the query: endpoint, region, addressing=path|virtual, encryption=AES256|aws:kms, kms-key=ID.
 */

import { Failure } from '../../base/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface S3Place {
  readonly bucket: string;
  /** Without slashes at its ends; '' for none. */
  readonly prefix: string;
  /** Undefined for AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** `https://host/bucket/key` rather than `https://bucket.host/key`. */
  readonly isByPath: boolean;
  /** What is sent with every object for encryption at rest. */
  readonly encryption: Readonly<Record<string, string>>;
}

const DEFAULT_REGION = 'us-east-1';
const OPTIONS = new Set(['endpoint', 'region', 'addressing', 'encryption', 'kms-key']);

export function isS3Url(text: string): boolean {
  return /^s3:/i.test(text);
}

/** The environment has what the URL leaves out, as for other tools of AWS. Throws a Failure. */
export function parseS3Url(text: string, env: Environment): S3Place {
  const wrong = (why: string): Failure =>
    new Failure(
      'usage',
      `${shownUrl(text)}: ${why}; write s3://BUCKET/PREFIX, with ?endpoint=URL for a server other than AWS`,
    );
  const [, bucket = '', path = '', query = ''] = /^s3:\/\/([^/?]*)\/?([^?]*)\??(.*)$/i.exec(text) ?? [];
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket)) throw wrong('names no bucket');
  const options = new URLSearchParams(query);
  for (const name of options.keys()) if (!OPTIONS.has(name)) throw wrong(`unknown option ${name}`);
  const prefix = path.replace(/^\/+|\/+$/g, '');
  if (prefix.split('/').some(part => part === '.' || part === '..')) throw wrong('a prefix has no . and ..');
  const endpoint = options.get('endpoint') ?? (env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined);
  if (endpoint !== undefined && !isHttpUrl(endpoint)) throw wrong('the endpoint is no http or https URL');
  const addressing =
    options.get('addressing') ?? (endpoint === undefined && !bucket.includes('.') ? 'virtual' : 'path');
  if (addressing !== 'path' && addressing !== 'virtual') throw wrong('addressing is path or virtual');
  return {
    bucket,
    prefix,
    endpoint: endpoint?.replace(/\/+$/, ''),
    region: options.get('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || DEFAULT_REGION,
    isByPath: addressing === 'path',
    encryption: encryptionHeaders(options, wrong),
  };
}

function encryptionHeaders(options: URLSearchParams, wrong: (why: string) => Failure): Record<string, string> {
  const [encryption, key] = [options.get('encryption'), options.get('kms-key')];
  if (encryption === null && key === null) return {};
  const algorithm = encryption ?? 'aws:kms';
  if (algorithm !== 'AES256' && algorithm !== 'aws:kms') throw wrong('encryption is AES256 or aws:kms');
  if (key === null) return { 'x-amz-server-side-encryption': algorithm };
  if (algorithm !== 'aws:kms') throw wrong('kms-key goes with encryption=aws:kms');
  return { 'x-amz-server-side-encryption': algorithm, 'x-amz-server-side-encryption-aws-kms-key-id': key };
}

/** A URL that someone gave a password is not repeated with it. */
function shownUrl(text: string): string {
  return JSON.stringify(text.replace(/\/\/[^/@]*@/g, '//...@'));
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** As a store records it, and as messages name it. */
export function placeText({ bucket, prefix, endpoint }: S3Place): string {
  const url = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  return endpoint === undefined ? url : `${url} at ${endpoint}`;
}

/** The key '' is the bucket itself. */
export function objectUrl({ bucket, endpoint, isByPath }: S3Place, region: string, key: string): URL {
  const aws = `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const url = new URL(endpoint ?? aws);
  if (!isByPath) url.host = `${bucket}.${url.host}`;
  const parts = [...(isByPath ? [bucket] : []), ...(key === '' ? [] : key.split('/'))];
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${parts.map(encodePart).join('/')}`;
  return url;
}

function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
