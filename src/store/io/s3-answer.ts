/** What an answer of S3 means, and what to do next. Every server words its messages differently; the codes are common. */
import { decodeText } from '../../base/text.ts';
import { oneLine } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import type { Answer, NoAnswerKind, Reply } from '../../live/reply.ts';

export type Judged =
  /** It answered the question: yes, there is none, or it is there already. */
  | { readonly kind: 'answered'; readonly answer: Answer; readonly code: string }
  /** Worth another try. */
  | { readonly kind: 'again'; readonly why: string }
  /** To be asked elsewhere. */
  | { readonly kind: 'region'; readonly region: string; readonly why: string }
  /** Our clock is so much ahead of the server's. */
  | { readonly kind: 'clock'; readonly aheadSeconds: number; readonly why: string }
  /** Fresh credentials may help. */
  | { readonly kind: 'credentials'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);
const TRANSIENT_CODES = new Set([
  'ConditionalRequestConflict',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'ThrottlingException',
]);
/** Another attempt would fail in the same way. */
const FINAL_KINDS: ReadonlySet<NoAnswerKind> = new Set(['credentials', 'tls', 'not-http', 'stopped', 'proxy']);
const ANSWER_CODES = new Set(['NoSuchKey', 'PreconditionFailed', 'InvalidRange', 'NotImplemented']);
const MAX_SAID = 200;
const XML_ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function judge(reply: Reply): Judged {
  if (reply.kind !== 'answer') {
    const why = oneLine(reply.message);
    return FINAL_KINDS.has(reply.kind) ? { kind: 'refused', why } : { kind: 'again', why };
  }
  if (reply.status >= 200 && reply.status < 300) {
    if (reply.cut?.why === 'too-large') return { kind: 'refused', why: oneLine(reply.cut.message) };
    if (reply.cut !== undefined) return { kind: 'again', why: oneLine(reply.cut.message) };
    return { kind: 'answered', answer: reply, code: '' };
  }
  return judgeError(reply);
}

function judgeError(answer: Answer): Judged {
  const { status } = answer;
  const text = decodeText(answer.body.subarray(0, 65_536));
  const code = xmlText(text, 'Code') ?? '';
  const why = said(status, code, xmlText(text, 'Message') ?? '');
  if (isTransient(status, code)) return { kind: 'again', why };
  if (code === '' && isWebPage(answer, text))
    return { kind: 'refused', why: `it answers ${status} with a web page: this is not S3; check the endpoint` };
  if (code === '' && status === 404)
    return { kind: 'refused', why: 'it answers 404, but not as S3 does; check the endpoint' };
  if (ANSWER_CODES.has(code) || status === 412) return { kind: 'answered', answer, code };
  const region = elsewhere(answer, text, code);
  if (region !== undefined) return { kind: 'region', region, why };
  if (code === 'RequestTimeTooSkewed' || code === 'RequestExpired')
    return { kind: 'clock', aheadSeconds: answer.headAtSeconds - (answer.dateSeconds ?? answer.headAtSeconds), why };
  if (/^(ExpiredToken|InvalidAccessKeyId|InvalidToken|TokenRefreshRequired|SignatureDoesNotMatch)/.test(code))
    return { kind: 'credentials', why: `${why}; ${CREDENTIAL_ADVICE[code] ?? 'renew the credentials'}` };
  const advice = ADVICE[code] ?? (status === 403 ? ADVICE['AccessDenied'] : undefined);
  return { kind: 'refused', why: advice === undefined ? why : `${why}; ${advice}` };
}

const CREDENTIAL_ADVICE: Readonly<Record<string, string>> = {
  ExpiredToken: 'renew the credentials: they have expired',
  InvalidAccessKeyId: 'check the credentials: the server does not know this access key',
  SignatureDoesNotMatch: 'check the credentials: the secret key does not belong to the access key',
};

const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied:
    'allow these credentials s3:PutObject, s3:GetObject and s3:DeleteObject below the prefix, and s3:ListBucket on the bucket',
  NoSuchBucket: 'create the bucket, or correct its name',
  InvalidObjectState: 'it was moved to an archive: restore it there, and leave evidence out of such lifecycle rules',
  EntityTooLarge: 'the server takes no objects of this size',
};

function isTransient(status: number, code: string): boolean {
  return TRANSIENT_CODES.has(code) || (TRANSIENT_STATUS.has(status) && code !== 'NotImplemented');
}

/** The region that the bucket is in, if it is another. */
function elsewhere({ status, headers }: Answer, text: string, code: string): string | undefined {
  const isElsewhere =
    status === 301 ||
    ['AuthorizationHeaderMalformed', 'PermanentRedirect', 'IllegalLocationConstraintException'].includes(code);
  const region = isElsewhere ? (xmlText(text, 'Region') ?? headers['x-amz-bucket-region']) : undefined;
  return region !== undefined && /^[a-z0-9-]{2,40}$/.test(region) ? region : undefined;
}

function isWebPage({ headers }: Answer, text: string): boolean {
  return /html/.test(headers['content-type'] ?? '') || /^\s*<(!doctype\s+html|html)/i.test(text);
}

function said(status: number, code: string, message: string): string {
  const words = visible(oneLine(message))
    .slice(0, MAX_SAID)
    .replace(/[.\s]+$/, '');
  return [
    `it answers ${status}${code === '' ? '' : ` ${visible(oneLine(code)).slice(0, 80)}`}`,
    ...(words === '' ? [] : [words]),
  ].join(': ');
}

/** The text of the first element of this name. */
export function xmlText(text: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return found?.replace(/&(\w+);/g, (whole, entity: string) => XML_ENTITIES[entity] ?? whole);
}
