/** Where the files of captures are kept: in the data folder, or in a bucket with a spool in the data folder. */
import { join } from 'node:path';
import { SYSTEM_CLOCK } from '../../live/io/system-clock.ts';
import { credentialFiles } from '../../live/io/credential-files.ts';
import { EvidenceFolder } from '../../store/io/evidence-folder.ts';
import { httpSender } from '../../live/io/http/send-request.ts';
import { type Environment, parseS3Url } from '../../store/io/s3/s3-place.ts';
import { SpooledEvidence } from '../../store/spooled-evidence.ts';
import type { EvidenceFiles } from '../../store/ports.ts';

/** What a thread needs to open it: plain data. */
export interface EvidenceSettings {
  /** `s3://bucket/prefix?endpoint=...` */
  readonly url: string;
  /** Credentials, proxies and defaults. */
  readonly env: Environment;
  readonly cwd: string;
}

export function evidenceSettings(url: string, env: Environment, cwd: string): EvidenceSettings {
  const isUsed = (name: string): boolean => /^AWS_|^HOME$|_proxy$/i.test(name);
  return { url, env: Object.fromEntries(Object.entries(env).filter(([name]) => isUsed(name))), cwd };
}

/** Nothing in the data folder is touched before it is opened. */
export async function openEvidence(
  folder: string,
  settings: EvidenceSettings | undefined,
  log: (line: string) => void,
): Promise<EvidenceFiles> {
  if (settings === undefined) return new EvidenceFolder(join(folder, 'blobs'));
  const spool = new EvidenceFolder(join(folder, 'spool'));
  return new SpooledEvidence(await openBucket(settings, log), spool, { clock: SYSTEM_CLOCK, random: Math.random });
}

/** The client of S3 is loaded only by those who use it. */
export async function openBucket(
  { url, env, cwd }: EvidenceSettings,
  log: (line: string) => void,
): Promise<EvidenceFiles> {
  const { EvidenceBucket } = await import('../../store/io/s3/evidence-bucket.ts');
  const [send, files] = [httpSender(env), credentialFiles(cwd)];
  return new EvidenceBucket(parseS3Url(url, env), { send, files, env, clock: SYSTEM_CLOCK, random: Math.random, log });
}
