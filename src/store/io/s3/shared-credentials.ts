/**
 * A profile of a credentials file:
 *
 *     [default]
 *     aws_access_key_id = AKIA...
 *     aws_secret_access_key = ...
 *     aws_session_token = ...            if they are temporary
 */
import { RequestError } from '../../../live/request-sender.ts';
import type { AwsKeys } from './aws-keys.ts';

/** Throws a RequestError that names the file, and nothing that is in it but the profile. */
export function readProfile(text: string, profile: string, path: string): AwsKeys {
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
