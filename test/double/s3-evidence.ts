/** Evidence in a bucket of a server on this machine, with credentials that tests choose. */
import { credentialFiles } from '../../src/live/io/credential-files.ts';
import { httpSender } from '../../src/live/io/send-request.ts';
import { type BucketSettings, EvidenceBucket } from '../../src/store/io/evidence-bucket.ts';
import { type Environment, parseS3Url } from '../../src/store/io/s3-place.ts';

export const EXAMPLE_KEYS: Environment = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret/example+key',
};

/** Does not wait between attempts. */
export function bucketAt(
  url: string,
  env: Environment = EXAMPLE_KEYS,
  more: Partial<BucketSettings> = {},
): EvidenceBucket {
  const send = httpSender({});
  const clock = { now: () => Date.now() / 1000, sleep: async () => {} };
  const settings = { send, clock, random: () => 0.5, log: () => {}, env, files: credentialFiles('/'), ...more };
  return new EvidenceBucket(parseS3Url(url, env), settings);
}
