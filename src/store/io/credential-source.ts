/**
 * Credentials as other tools of AWS find them, in this order:
 *
 *     AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *     AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN                     a role for a service account, from STS
 *     AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials             the profile of AWS_PROFILE, or default
 *
 * AWS_CA_BUNDLE has the certificate authorities of the server. None of it is ever printed.
 */
import { decodeText } from '../../base/text.ts';
import { oneLine } from '../../base/text-layout.ts';
import { xmlText } from './s3-answer.ts';
import { RequestError, type SendRequest, type CredentialFiles } from '../../live/ports.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { Environment } from './s3-place.ts';

/** A role for the token of a service account (IRSA): STS exchanges it for keys that last an hour. */
const LIMITS = { deadlineSeconds: 20, maxBytes: 65_536 };

const SESSION_NAME = 'oakum-watch';

const HOUR_SECONDS = 3600;

export interface CredentialSource {
  /** Throws a RequestError. */
  current(signal: AbortSignal): Promise<{ readonly keys: AwsKeys; readonly ca?: Uint8Array }>;
  /** The server did not accept them. True if others may be found now. */
  forget(): boolean;
}

/** The file may be replaced at any time. */
const FILE_SECONDS = 60;
/** Fresh ones are asked for that long before the end. */
const MARGIN_SECONDS = 300;

export function credentialSource(places: CredentialPlaces): CredentialSource {
  const { env, files, clock } = places;
  const find = finderOf(places);
  let kept: TimedKeys | undefined;
  return {
    async current(signal) {
      if (kept === undefined || clock.now() > kept.untilSeconds) kept = await find(signal);
      const bundle = env['AWS_CA_BUNDLE'];
      return bundle ? { keys: kept.keys, ca: await files.readBytes(bundle) } : { keys: kept.keys };
    },
    forget() {
      const canChange = kept?.untilSeconds !== Infinity;
      kept = undefined;
      return canChange;
    },
  };
}

function finderOf(places: CredentialPlaces): (signal: AbortSignal) => Promise<TimedKeys> {
  const { env, files, clock } = places;
  const [accessKeyId, secretAccessKey] = [env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY']];
  if (accessKeyId && secretAccessKey) {
    const sessionToken = env['AWS_SESSION_TOKEN'];
    const keys = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
    return async () => ({ keys, untilSeconds: Infinity });
  }
  if (env['AWS_WEB_IDENTITY_TOKEN_FILE'] && env['AWS_ROLE_ARN'])
    return async signal => {
      const { keys, untilSeconds } = await assumeRole(places, signal);
      return { keys, untilSeconds: untilSeconds - MARGIN_SECONDS };
    };
  const path = env['AWS_SHARED_CREDENTIALS_FILE'] || (env['HOME'] ? `${env['HOME']}/.aws/credentials` : '');
  return async () => {
    if (path === '') throw none('');
    const text = decodeText(
      await files.readBytes(path).catch((error: Error) => {
        throw none(`; ${error.message}`);
      }),
    );
    return { keys: readProfile(text, env['AWS_PROFILE'] || 'default', path), untilSeconds: clock.now() + FILE_SECONDS };
  };
}

function none(why: string): RequestError {
  return new RequestError(
    'credentials',
    `there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_SHARED_CREDENTIALS_FILE, ` +
      `or AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE${why}`,
  );
}

/**
 * A profile of a credentials file:
 *
 *     [default]
 *     aws_access_key_id = AKIA...
 *     aws_secret_access_key = ...
 *     aws_session_token = ...            if they are temporary
 *
 * Throws a RequestError that names the file, and nothing that is in it but the profile.
 */
function readProfile(text: string, profile: string, path: string): AwsKeys {
  const values = new Map<string, string>();
  let isInProfile = false;
  let isFound = false;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    const section = /^\[\s*(?:profile\s+)?([^\]]*?)\s*\]/.exec(line)?.[1];
    if (section !== undefined) {
      isInProfile = section === profile;
      isFound ||= isInProfile;
      continue;
    }
    const [, name = '', value = ''] = /^([^=#;]+?)\s*=\s*(.*)$/.exec(line) ?? [];
    if (isInProfile && name !== '') values.set(name.toLowerCase(), value);
  }
  if (!isFound)
    throw new RequestError('credentials', `${path} has no profile ${profile}; set AWS_PROFILE to one it has`);
  const [accessKeyId, secretAccessKey] = [values.get('aws_access_key_id'), values.get('aws_secret_access_key')];
  if (!accessKeyId || !secretAccessKey)
    throw new RequestError(
      'credentials',
      `profile ${profile} of ${path} has no aws_access_key_id and aws_secret_access_key`,
    );
  const sessionToken = values.get('aws_session_token');
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** Throws a RequestError. The token is read each time: kubelets replace it. */
async function assumeRole(
  { env, files, send, clock, region }: CredentialPlaces,
  signal: AbortSignal,
): Promise<TimedKeys> {
  const address =
    env['AWS_ENDPOINT_URL_STS'] || `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: env['AWS_ROLE_ARN'] ?? '',
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] || SESSION_NAME,
    WebIdentityToken: await files.readToken(env['AWS_WEB_IDENTITY_TOKEN_FILE'] ?? ''),
  });
  const reply = await send(
    { base: new URL(address), tls: {} },
    {
      method: 'POST',
      path: '/',
      bytes: new TextEncoder().encode(form.toString()),
      contentType: 'application/x-www-form-urlencoded',
    },
    { ...LIMITS, signal },
  );
  if (reply.kind !== 'answer') throw trouble(`${address} does not answer: ${oneLine(reply.message)}`);
  const text = decodeText(reply.body);
  const [accessKeyId, secretAccessKey, sessionToken, expiration] = [
    'AccessKeyId',
    'SecretAccessKey',
    'SessionToken',
    'Expiration',
  ].map(name => xmlText(text, name));
  if (reply.status !== 200 || !accessKeyId || !secretAccessKey || !sessionToken) {
    const code = oneLine(`${reply.status} ${xmlText(text, 'Code') ?? ''}`).trim();
    throw trouble(`${address} answers ${code}: ${oneLine(xmlText(text, 'Message') ?? 'no keys').slice(0, 200)}`);
  }
  const until = Date.parse(expiration ?? '') / 1000;
  return {
    keys: { accessKeyId, secretAccessKey, sessionToken },
    untilSeconds: Number.isNaN(until) ? clock.now() + HOUR_SECONDS : until,
  };
}

function trouble(why: string): RequestError {
  return new RequestError('credentials', `no credentials for the role of AWS_ROLE_ARN: ${why}`);
}

/** What requests are signed with, and where it comes from. */

interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface CredentialPlaces {
  readonly env: Environment;
  readonly files: CredentialFiles;
  readonly send: SendRequest;
  readonly clock: WatchClock;
  readonly region: string;
}

interface TimedKeys {
  readonly keys: AwsKeys;
  readonly untilSeconds: number;
}
