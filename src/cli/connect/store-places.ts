/** Where a watch keeps its data: the address of a database, and the files of captures. */
import { resolve, join } from 'node:path';
import { readBoundedText } from '../../evidence/io/read-bounded-file.ts';
import { isPostgresUrl, parseStoreUrl } from '../../store/io/postgres/store-url.ts';
import type { Io } from '../io.ts';
import { Failure } from '../../base/errors.ts';
import { SYSTEM_CLOCK } from '../../live/io/clocks.ts';
import { credentialFiles } from '../../live/io/credential-files.ts';
import { EvidenceFolder } from '../../store/io/evidence-folder.ts';
import { httpSender } from '../../live/io/send-request.ts';
import { type Environment, parseS3Url } from '../../store/io/s3-place.ts';
import { SpooledEvidence } from '../../store/spooled-evidence.ts';
import type { EvidenceFiles } from '../../store/ports.ts';

const MAX_FILE_BYTES = 16 * 1024;

/** '' for none. */
export interface StoreValues {
  readonly store: string;
  readonly storeFile: string;
}

export interface StoreAddressText {
  /** With its password: not for messages. */
  readonly url: string;
  readonly shown: string;
}

/** Undefined if rows are kept in the data folder. */
export async function storeAddress({ store, storeFile }: StoreValues, io: Io): Promise<StoreAddressText | undefined> {
  if (store === '' && storeFile === '') return undefined;
  const url = store === '' ? await addressIn(storeFile, io) : store;
  const { password, shown } = parseStoreUrl(url);
  if (store !== '' && password !== undefined)
    io.stderr.write(
      'oakum: the password in the address shows in the list of processes; use PGPASSWORD, ~/.pgpass or a --store-file\n',
    );
  return { url, shown };
}

async function addressIn(path: string, io: Io): Promise<string> {
  const text = (await readBoundedText(resolve(io.cwd, path), MAX_FILE_BYTES, path)).trim();
  if (!isPostgresUrl(text)) throw new Failure('usage', `${path}: it has to hold postgres://USER@HOST/DATABASE`);
  return text;
}

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
  const { EvidenceBucket } = await import('../../store/io/evidence-bucket.ts');
  const [send, files] = [httpSender(env), credentialFiles(cwd)];
  return new EvidenceBucket(parseS3Url(url, env), { send, files, env, clock: SYSTEM_CLOCK, random: Math.random, log });
}
