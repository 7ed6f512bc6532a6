/**
 * Where a store, or its evidence, is, as the command line names it:
 *
 *     /var/lib/oakum            the data folder of a watch: rows in oakum.db, profiles in blobs
 *     postgres://...            rows
 *     s3://bucket/prefix        profiles
 */
import { join, resolve } from 'node:path';
import { EvidenceFolder } from '../../store/io/evidence-folder.ts';
import { isPostgresUrl, parseStoreUrl } from '../../store/io/postgres/store-url.ts';
import { isS3Url, parseS3Url } from '../../store/io/s3/s3-place.ts';
import type { Io } from '../terminal/io.ts';
import { evidenceSettings, openBucket } from './open-evidence.ts';
import { storeAddress } from './store-address.ts';
import { type EvidenceFiles, OWN_FOLDER, PLACE_KEY } from '../../store/ports.ts';
import type { StoreRows } from '../../store/copy/store-rows.ts';
import { Failure } from '../../base/errors.ts';

export type PlaceKind = 'folder' | 'database' | 'bucket';

export function kindOfPlace(text: string): PlaceKind {
  return isPostgresUrl(text) ? 'database' : isS3Url(text) ? 'bucket' : 'folder';
}

/** Without a password. */
export function shownPlace(place: string): string {
  return kindOfPlace(place) === 'database' ? parseStoreUrl(place).shown : place;
}

/** Loads only the client of the database that is named. */
export async function openRows(place: string, toRead: boolean, io: Io): Promise<StoreRows> {
  if (kindOfPlace(place) === 'folder') {
    const { openSqliteRows } = await import('../../store/io/sqlite/store-rows.ts');
    return openSqliteRows(resolve(io.cwd, place), place, toRead);
  }
  const address = await storeAddress({ store: place, storeFile: '' }, io);
  const { openPostgresRows } = await import('../../store/io/postgres/store-rows.ts');
  return openPostgresRows(address?.url ?? place, toRead);
}

/** The profiles of a data folder, or a bucket. */
export async function openEvidenceAt(place: string, io: Io): Promise<EvidenceFiles> {
  if (kindOfPlace(place) === 'folder') return new EvidenceFolder(join(resolve(io.cwd, place), 'blobs'));
  const say = (line: string): void => io.stderr.write(`oakum: ${line}\n`);
  return openBucket(evidenceSettings(place, io.env, io.cwd), say);
}

/** Where the rows say that their evidence is. */
export async function recordedEvidence(rows: StoreRows, place: string, io: Io): Promise<string> {
  const recorded = (await rows.setting(PLACE_KEY)) ?? OWN_FOLDER;
  if (recorded !== OWN_FOLDER) return urlOfRecord(recorded, io);
  if (kindOfPlace(place) === 'folder') return place;
  throw new Failure('usage', `the profiles of ${rows.shown} are in a data folder: name it with --evidence-from DIR`);
}

/** `s3://bucket/prefix at http://host` is how a store records it. */
function urlOfRecord(recorded: string, io: Io): string {
  const [url = '', endpoint] = recorded.split(' at ');
  const full = endpoint === undefined ? url : `${url}?endpoint=${encodeURIComponent(endpoint)}`;
  parseS3Url(full, io.env);
  return full;
}

/** What waits in the spool of a data folder belongs to its evidence, too. */
export function withSpool(files: EvidenceFiles, place: string, io: Io): Pick<EvidenceFiles, 'read'> {
  if (kindOfPlace(place) !== 'folder') return files;
  const spool = new EvidenceFolder(join(resolve(io.cwd, place), 'spool'));
  return { read: async sha256 => (await spool.read(sha256)) ?? files.read(sha256) };
}
