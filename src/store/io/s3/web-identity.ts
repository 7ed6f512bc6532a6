/** A role for the token of a service account (IRSA): STS exchanges it for keys that last an hour. */
import { decodeText } from '../../../base/text.ts';
import { oneLine } from '../../../base/text-layout.ts';
import { RequestError } from '../../../live/request-sender.ts';
import type { CredentialPlaces, TimedKeys } from './aws-keys.ts';
import { xmlText } from './s3-answer.ts';

const LIMITS = { deadlineSeconds: 20, maxBytes: 65_536 };
const SESSION_NAME = 'oakum-watch';
const HOUR_SECONDS = 3600;

/** Throws a RequestError. The token is read each time: kubelets replace it. */
export async function assumeRole(
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
