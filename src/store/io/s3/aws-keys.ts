/** What requests are signed with, and where it comes from. */
import type { WatchClock } from '../../../base/clock.ts';
import type { Environment } from './s3-place.ts';
import type { SendRequest, CredentialFiles } from '../../../live/ports.ts';

export interface AwsKeys {
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

export interface TimedKeys {
  readonly keys: AwsKeys;
  readonly untilSeconds: number;
}
