/**
 * Credentials as other tools of AWS find them, in this order:
 *
 *     AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *     AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN                     a role for a service account, from STS
 *     AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials             the profile of AWS_PROFILE, or default
 *
 * AWS_CA_BUNDLE has the certificate authorities of the server. None of it is ever printed.
 */
import { decodeText } from '../../../base/text.ts';
import { RequestError } from '../../../live/request-sender.ts';
import type { AwsKeys, CredentialPlaces, TimedKeys } from './aws-keys.ts';
import { readProfile } from './shared-credentials.ts';
import { assumeRole } from './web-identity.ts';

export interface CredentialSource {
  /** Throws a RequestError. */
  current(signal: AbortSignal): Promise<{ readonly keys: AwsKeys; readonly ca?: Uint8Array }>;
  /** The server did not accept them. True if others may be found now. */
  forget(): boolean;
}

/** Whoever replaces a file may do so at any time. */
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
