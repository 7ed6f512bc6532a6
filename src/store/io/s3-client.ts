/**
 * Signed requests to one bucket, each with a deadline, repeated while that can help:
 *
 *     500, 503, SlowDown, no answer, cut     again, after a pause that grows, with jitter
 *     our clock is wrong                     again, signed with the server's time
 *     the bucket is in another region        again, there
 *     the credentials have expired           again, with fresh ones
 *
 * The last three are tried once per request and kept for the next.
 */
import { AwsV4Signer } from 'aws4fetch';
import { formatAge } from '../../base/say.ts';
import type { Answer, Reply } from '../../live/reply.ts';
import type { WatchClock } from '../../base/clock.ts';
import { type Judged, judge } from './s3-answer.ts';
import type { CredentialSource } from './credential-source.ts';
import { objectUrl, placeText, type S3Place } from './s3-place.ts';
import type { Credentials, OutgoingRequest, SendRequest } from '../../live/ports.ts';
import { StoreError } from '../ports.ts';

export interface S3Tools {
  readonly send: SendRequest;
  readonly clock: WatchClock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** What was corrected. */
  readonly log: (line: string) => void;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: Uint8Array;
  readonly maxBytes?: number;
  readonly deadlineSeconds: number;
  /** How often it is tried; default 4. */
  readonly attempts?: number;
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const ATTEMPTS = 4;
const FIRST_PAUSE_SECONDS = 0.2;
const MAX_ERROR_BYTES = 65_536;
/** Beyond this, signatures are refused. */
const TOLERATED_SKEW_SECONDS = 300;

export class S3Client {
  readonly #place: S3Place;
  readonly #credentials: CredentialSource;
  readonly #tools: S3Tools;
  readonly #stop = new AbortController();
  #region: string;
  /** How much our clock is ahead of the server's, if that matters. */
  #aheadSeconds = 0;

  constructor(place: S3Place, credentials: CredentialSource, tools: S3Tools) {
    this.#place = place;
    this.#credentials = credentials;
    this.#tools = tools;
    this.#region = place.region;
  }

  /** Ends what is under way. */
  close(): void {
    this.#stop.abort();
  }

  /** Throws a StoreError: `unreachable` if it may work later, `refused` if somebody has to do something. */
  async request(request: S3Request): Promise<{ readonly answer: Answer; readonly code: string }> {
    const corrected = new Set<Judged['kind']>();
    const attempts = request.attempts ?? ATTEMPTS;
    for (let attempt = 1; ;) {
      const judged = judge(await this.#send(request));
      if (judged.kind === 'answered') return judged;
      if (judged.kind === 'again' && attempt < attempts && !this.#stop.signal.aborted) {
        await this.#pause(attempt++);
        continue;
      }
      if (!corrected.has(judged.kind) && this.#correct(judged)) {
        corrected.add(judged.kind);
        continue;
      }
      throw this.#error(judged);
    }
  }

  async #send({ method, key, query, headers, bytes, maxBytes, deadlineSeconds }: S3Request): Promise<Reply> {
    const url = objectUrl(this.#place, this.#region, key);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const credentials = async (signal: AbortSignal): Promise<Credentials> => {
      const { keys, ca } = await this.#credentials.current(signal);
      const signer = new AwsV4Signer({
        ...keys,
        url: url.href,
        method,
        headers: { 'x-amz-content-sha256': EMPTY_SHA256, ...headers },
        service: 's3',
        region: this.#region,
        datetime: signingTime(this.#tools.clock.now() - this.#aheadSeconds),
      });
      const signed = await signer.sign();
      return { headers: Object.fromEntries(signed.headers), ...(ca === undefined ? {} : { ca }) };
    };
    const outgoing: OutgoingRequest = {
      method,
      path: url.pathname + url.search.replace(/\+/g, '%20'),
      ...(bytes === undefined ? {} : { bytes, contentType: 'application/octet-stream' }),
    };
    return this.#tools.send({ base: new URL(url.origin), tls: {}, credentials }, outgoing, {
      deadlineSeconds,
      maxBytes: maxBytes ?? MAX_ERROR_BYTES,
      signal: this.#stop.signal,
    });
  }

  /** Four times as long each time, and never for all clients at once. */
  async #pause(attempt: number): Promise<void> {
    const most = FIRST_PAUSE_SECONDS * 4 ** (attempt - 1);
    await this.#tools.clock.sleep(most * (0.5 + this.#tools.random() / 2), this.#stop.signal);
  }

  /** True if something is different now. */
  #correct(judged: Judged): boolean {
    const name = placeText(this.#place);
    if (judged.kind === 'credentials') return this.#credentials.forget();
    if (judged.kind === 'clock') {
      if (Math.abs(judged.aheadSeconds - this.#aheadSeconds) < TOLERATED_SKEW_SECONDS) return false;
      this.#aheadSeconds = judged.aheadSeconds;
      this.#tools.log(`${name}: ${skewText(judged.aheadSeconds)}; requests are signed with the server's time`);
      return true;
    }
    if (judged.kind === 'region' && judged.region !== this.#region) {
      this.#tools.log(
        `${name}: the bucket is in region ${judged.region}, not ${this.#region}; that one is used (set it as AWS_REGION)`,
      );
      this.#region = judged.region;
      return true;
    }
    return false;
  }

  #error(judged: Exclude<Judged, { kind: 'answered' }>): StoreError {
    const skew = judged.kind === 'clock' ? `; ${skewText(judged.aheadSeconds)}: set it` : '';
    const kind = judged.kind === 'again' ? 'unreachable' : 'refused';
    return new StoreError(kind, `${placeText(this.#place)}: ${judged.why}${skew}`);
  }
}

function skewText(aheadSeconds: number): string {
  const way = aheadSeconds > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${formatAge(Math.round(Math.abs(aheadSeconds) / 60) * 60)} ${way} the server's`;
}

/** 20261118T033000Z */
function signingTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/[:-]|\.\d{3}/g, '');
}
