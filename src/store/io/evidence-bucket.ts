/**
 * Evidence as objects named by their content: `PREFIX/evidence/ab/abcdef...`. The server checks the hash of what it
 * receives, and we check that of what we read. A listing may lag behind, so it never decides that an object is absent.
 */
import { createHash } from 'node:crypto';
import { BoundedWork } from '../../base/bounded-work.ts';
import { formatBytes } from '../../base/say.ts';
import { decodeText } from '../../base/text.ts';
import type { Answer } from '../../live/reply.ts';
import { type CredentialPlaces, credentialSource } from './credential-source.ts';
import { xmlText } from './s3-answer.ts';
import { S3Client, type S3Tools } from './s3-client.ts';
import { placeText, type S3Place } from './s3-place.ts';
import {
  StoreError,
  ALL_IS_KEPT,
  type EvidenceFile,
  type EvidenceFiles,
  type EvidenceStatus,
  isSha256,
} from '../ports.ts';

/** Objects are in memory as a whole. Captures are smaller; whatever is larger is not ours. */
const MAX_OBJECT_BYTES = 2 ** 28;
const READS_AT_ONCE = 4;
const MAX_LISTING_BYTES = 2 ** 24;
const DEADLINE_SECONDS = 30;
/** What a slow line carries; a large object gets more time. */
const BYTES_PER_SECOND = 2 ** 19;
const READ_SECONDS = 300;
const REMOVE_SECONDS = 10;

export interface BucketSettings extends S3Tools, Omit<CredentialPlaces, 'region'> {
  /** Objects per page of a listing; default: as many as the server gives. */
  readonly pageSize?: number;
}

export class EvidenceBucket implements EvidenceFiles {
  readonly place: string;
  readonly #client: S3Client;
  readonly #s3: S3Place;
  readonly #pageSize: number | undefined;
  readonly #reads = new BoundedWork(READS_AT_ONCE);
  /** False once the server said that it knows no conditions. */
  #hasConditions = true;

  constructor(place: S3Place, settings: BucketSettings) {
    this.#s3 = place;
    this.place = placeText(place);
    this.#client = new S3Client(place, credentialSource({ ...settings, region: place.region }), settings);
    this.#pageSize = settings.pageSize;
  }

  async open(): Promise<void> {}

  async put(sha256: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > MAX_OBJECT_BYTES)
      throw new StoreError(
        'refused',
        `${this.place}: a file of ${formatBytes(bytes.length)} is too large; up to ${formatBytes(MAX_OBJECT_BYTES)} are kept there`,
      );
    const code = await this.#put(sha256, bytes, this.#hasConditions);
    if (code === 'NotImplemented') this.#hasConditions = false;
    // Other bytes under this name were cut, or are not ours.
    else if (code === '' || (await this.size(sha256)) === bytes.length) return;
    await this.#put(sha256, bytes, false);
  }

  /** '' if it is stored now. */
  async #put(sha256: string, bytes: Uint8Array, onlyIfAbsent: boolean): Promise<string> {
    const { answer, code } = await this.#client.request({
      method: 'PUT',
      key: this.#keyOf(sha256),
      headers: {
        'x-amz-content-sha256': sha256,
        ...(onlyIfAbsent ? { 'if-none-match': '*' } : {}),
        ...this.#s3.encryption,
      },
      bytes,
      deadlineSeconds: DEADLINE_SECONDS + bytes.length / BYTES_PER_SECOND,
    });
    if (answer.status === 412) return 'PreconditionFailed';
    if (code === 'NotImplemented' && onlyIfAbsent) return code;
    // Every S3 answers with an ETag; some other server may say yes to anything.
    if (answer.status !== 200 || answer.headers['etag'] === undefined) throw this.#notS3(answer);
    return '';
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    if (!isSha256(sha256)) return undefined;
    const { answer, code } = await this.#reads.do(1, () =>
      this.#client.request({
        method: 'GET',
        key: this.#keyOf(sha256),
        maxBytes: MAX_OBJECT_BYTES,
        deadlineSeconds: READ_SECONDS,
      }),
    );
    if (code === 'NoSuchKey') return undefined;
    if (answer.status !== 200 || answer.headers['etag'] === undefined) throw this.#notS3(answer);
    if (createHash('sha256').update(answer.body).digest('hex') !== sha256)
      throw new StoreError(
        'damaged',
        `profile ${sha256.slice(0, 12)} is not what was written: its object in ${this.place} was changed`,
      );
    return answer.body;
  }

  /** Asks for the first byte: unlike HEAD, the answer says why if there is none. */
  async size(sha256: string): Promise<number | undefined> {
    if (!isSha256(sha256)) return undefined;
    const { answer, code } = await this.#client.request({
      method: 'GET',
      key: this.#keyOf(sha256),
      headers: { range: 'bytes=0-0' },
      maxBytes: MAX_OBJECT_BYTES,
      deadlineSeconds: DEADLINE_SECONDS,
    });
    if (code === 'NoSuchKey') return undefined;
    // An empty object has no first byte.
    if (code === 'InvalidRange') return 0;
    const total = Number(/\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1] ?? NaN);
    if (answer.status === 206 && Number.isInteger(total)) return total;
    if (answer.status === 200 && answer.headers['etag'] !== undefined) return answer.body.length;
    throw this.#notS3(answer);
  }

  /** Not tried again: the caller asks again later. */
  async remove(sha256: string): Promise<void> {
    const { answer, code } = await this.#client.request({
      method: 'DELETE',
      key: this.#keyOf(sha256),
      deadlineSeconds: REMOVE_SECONDS,
      attempts: 1,
    });
    if (answer.status !== 204 && answer.status !== 200 && code !== 'NoSuchKey') throw this.#notS3(answer);
  }

  async *list(): AsyncGenerator<EvidenceFile> {
    const prefix = this.#keyOf('');
    let token: string | undefined;
    do {
      const { answer } = await this.#client.request({
        method: 'GET',
        key: '',
        query: {
          'list-type': '2',
          prefix,
          ...(this.#pageSize === undefined ? {} : { 'max-keys': String(this.#pageSize) }),
          ...(token === undefined ? {} : { 'continuation-token': token }),
        },
        maxBytes: MAX_LISTING_BYTES,
        deadlineSeconds: DEADLINE_SECONDS,
      });
      const text = decodeText(answer.body);
      if (!text.includes('<ListBucketResult')) throw this.#notS3(answer);
      for (const [, entry = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const sha256 = xmlText(entry, 'Key')?.split('/').at(-1) ?? '';
        if (isSha256(sha256)) yield { sha256, bytes: Number(xmlText(entry, 'Size') ?? 0) };
      }
      token = xmlText(text, 'IsTruncated') === 'true' ? xmlText(text, 'NextContinuationToken') : undefined;
    } while (token !== undefined);
  }

  status(): EvidenceStatus {
    return ALL_IS_KEPT;
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  /** Of '', what all keys begin with. */
  #keyOf(sha256: string): string {
    const { prefix } = this.#s3;
    const folder = `${prefix === '' ? '' : `${prefix}/`}evidence/`;
    return sha256 === '' ? folder : `${folder}${sha256.slice(0, 2)}/${sha256}`;
  }

  #notS3({ status }: Answer): StoreError {
    return new StoreError('refused', `${this.place}: it answers ${status}, but not as S3 does; check the endpoint`);
  }
}
