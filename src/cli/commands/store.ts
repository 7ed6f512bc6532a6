/** `oakum store copy FROM TO`, `oakum store verify PLACE`. */
import { join, resolve } from 'node:path';
import zlib from 'node:zlib';
import { digestsFor } from '../../evidence/io/digests.ts';
import {
  type CheckedEvidence,
  checkEvidence,
  copyEvidence,
  namedFiles,
  repairEvidence,
  compareRows,
  type CopiedTable,
  copyRows,
  endCopy,
  storeCopyText,
} from '../../store/copy-store.ts';
import { digestOf, wholeRows } from '../../store/table-digest.ts';
import {
  COPY_KEY,
  refuseHalfCopy,
  type StoreRows,
  type EvidenceFile,
  type EvidenceFiles,
  OWN_FOLDER,
  PLACE_KEY,
} from '../../store/ports.ts';
import { EvidenceFolder } from '../../store/io/evidence-folder.ts';
import { isPostgresUrl, parseStoreUrl } from '../../store/io/postgres/store-url.ts';
import { isS3Url, parseS3Url } from '../../store/io/s3-place.ts';
import { STORE_TABLES } from '../../store/tables.ts';
import { evidenceSettings, openBucket, storeAddress } from '../connect/store-places.ts';
import type { Io } from '../io.ts';
import { renderJson } from '../../report/json.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { text } from '../options/kinds.ts';
import { outputFormat } from '../options/shared.ts';

const line = commandLine({
  name: 'store',
  usage: ['copy FROM TO [options]', 'verify PLACE [options]'],
  examples: [
    ['oakum store copy /var/lib/oakum postgres://oakum@db/oakum', 'the rows; profiles stay where they are'],
    ['oakum store copy /var/lib/oakum postgres://oakum@db/oakum --evidence-to s3://bucket/prefix'],
    ['oakum store copy /var/lib/oakum s3://bucket/prefix', 'only the profiles; then watch with --evidence'],
    ['oakum store copy s3://bucket/prefix /var/lib/oakum', 'the profiles that this store names, back'],
    ['oakum store verify /var/lib/oakum', 'reads every row and every profile'],
  ],
  about:
    'Copies a store: rows between a data folder and PostgreSQL, profiles between a data folder and S3. Run it again after Ctrl-C or a kill: it continues where it stopped. At the end it compares a digest of every table, and reads every profile back. Nothing in FROM is changed. A data folder must not be in use; the target has to be empty, or an unfinished copy of the same store.',
  operands: { subcommands: ['copy', 'verify'], completes: 'files' },
  options: {
    evidenceFrom: text({ placeholder: 'PLACE', help: 'where the profiles are: a data folder or s3://BUCKET/PREFIX' }),
    evidenceTo: text({
      placeholder: 'PLACE',
      help: 'where the profiles go; default: with the rows, if TO is a folder',
    }),
    output: outputFormat(['text', 'json']),
  },
  request: (values, [action, from, to, ...more]) => {
    if (action === 'verify' && from !== undefined && to === undefined)
      return { ...values, action: 'verify' as const, from, to: '' };
    if (action === 'copy' && from !== undefined && to !== undefined && more.length === 0)
      return { ...values, action: 'copy' as const, from, to };
    throw new Failure('usage', 'store takes copy FROM TO, or verify PLACE');
  },
});

export const command: Command = defineCommand(line, runStore);

type Request = RequestOf<typeof line>;

const NONE_CHECKED: CheckedEvidence = { files: 0, bytes: 0, missing: [], damaged: [] };
const { sha256 } = digestsFor(new Uint8Array());

async function runStore(request: Request, io: Io): Promise<number> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const work = request.action === 'verify' ? verify : kindOfPlace(request.from) === 'bucket' ? copyBack : copy;
    const { tables, evidence, evidencePlace, left } = await work(request, io, keep);
    const result = {
      from: shownPlace(request.from),
      to: shownPlace(request.to),
      tables,
      evidence,
      evidencePlace,
      left,
    };
    io.stdout.write(request.output === 'json' ? renderJson(result) : storeCopyText(result));
    const problems = problemsOf(tables, evidence);
    for (const problem of problems) io.stderr.write(`oakum: ${problem}\n`);
    return problems.length === 0 ? EXIT.done : EXIT.actionFailed;
  } finally {
    for (const one of opened.reverse()) await one.close();
  }
}

interface Result {
  readonly tables: readonly CopiedTable[];
  readonly evidence: CheckedEvidence;
  /** Where the profiles are; undefined if they were not looked at. */
  readonly evidencePlace: string | undefined;
  /** Profiles that the rows name, and that stay where they are. */
  readonly left: number;
}

function problemsOf(tables: readonly CopiedTable[], { missing, damaged, files }: CheckedEvidence): string[] {
  const bad = missing.length + damaged.length;
  return [
    ...tables
      .filter(({ damagedRows }) => damagedRows > 0)
      .map(
        one =>
          `${one.damagedRows} of ${one.rows} rows of ${one.table} are damaged (${one.damaged.join(', ')}); what is in them is left out`,
      ),
    ...(bad === 0 ? [] : [`${bad} of ${files} profiles are missing or damaged; the rest is complete`]),
  ];
}

type Keep = <T extends { close(): Promise<void> }>(one: T) => T;

/** From rows: to other rows, with or without their profiles, or only the profiles to a bucket. */
async function copy({ from, to, evidenceFrom, evidenceTo }: Request, io: Io, keep: Keep): Promise<Result> {
  const say = sayTo(io);
  if ([from, to].every(place => kindOfPlace(place) === 'folder') && resolve(io.cwd, from) === resolve(io.cwd, to))
    throw new Failure('usage', `${from} cannot be copied to itself`);
  const source = keep(await openRows(from, true, io));
  refuseHalfCopy(await source.setting(COPY_KEY), source.shown);
  const place = evidenceTo ?? (kindOfPlace(to) === 'database' ? undefined : to);
  const named = await namedFiles(source);
  // Before anything is copied: whoever has to name a place should know now, not after an hour.
  const profiles = place === undefined ? undefined : await profilesOf(source, from, named, evidenceFrom, io, keep);
  if (kindOfPlace(to) === 'bucket') {
    const files = keep(await openEvidenceAt(to, io));
    const evidence = await moveEvidence(named, profiles, files, io);
    return { tables: [], evidence, evidencePlace: files.place, left: 0 };
  }
  const target = keep(await openRows(to, false, io));
  await copyRows(source, target, say);
  say('comparing every table');
  // The rows first: profiles may take hours, and a database does not keep a moment of it for so long.
  const tables = await compareRows(source, target, sha256, wholeRows(zlib));
  const recorded = await source.setting(PLACE_KEY);
  const files = place === undefined ? undefined : keep(await openEvidenceAt(place, io));
  const evidence = files === undefined ? NONE_CHECKED : await moveEvidence(named, profiles, files, io);
  await target.write(undefined, [], { [PLACE_KEY]: files?.place ?? recorded });
  await endCopy(target);
  return { tables, evidence, evidencePlace: files?.place, left: files === undefined ? named.length : 0 };
}

/** From a bucket, back to the data folder whose rows name the profiles. */
async function copyBack({ from, to, evidenceTo }: Request, io: Io, keep: Keep): Promise<Result> {
  if (kindOfPlace(to) === 'bucket')
    throw new Failure(
      'usage',
      'one of both has to be a store, whose rows name the profiles: a data folder or postgres://',
    );
  const rows = keep(await openRows(to, true, io));
  const place = evidenceTo ?? (kindOfPlace(to) === 'folder' ? to : undefined);
  if (place === undefined) throw new Failure('usage', `name the data folder for the profiles with --evidence-to DIR`);
  const files = keep(await openEvidenceAt(place, io));
  const named = await namedFiles(rows);
  const evidence = await moveEvidence(named, await profilesOf(rows, to, named, from, io, keep), files, io);
  return { tables: [], evidence, evidencePlace: files.place, left: 0 };
}

type Readable = Pick<EvidenceFiles, 'read'>;

/** Where the profiles that the rows name can be read; undefined if they name none. */
async function profilesOf(
  rows: StoreRows,
  rowsPlace: string,
  named: readonly EvidenceFile[],
  given: string | undefined,
  io: Io,
  keep: Keep,
): Promise<Readable | undefined> {
  if (named.length === 0) return undefined;
  const files = keep(await openEvidenceAt(given ?? (await recordedEvidence(rows, rowsPlace, io)), io));
  return withSpool(files, rowsPlace, io);
}

async function moveEvidence(
  named: readonly EvidenceFile[],
  from: Readable | undefined,
  to: EvidenceFiles,
  io: Io,
): Promise<CheckedEvidence> {
  if (from === undefined) return NONE_CHECKED;
  const say = sayTo(io);
  await to.open();
  await copyEvidence(named, from, to, say);
  say('reading every profile back');
  const checked = await checkEvidence(named, to, say);
  if (checked.damaged.length === 0) return checked;
  const damaged = new Set(checked.damaged);
  const again = named.filter(({ sha256: hash }) => damaged.has(hash));
  say(`${again.length} profiles there are not what they should be, and are written again`);
  await repairEvidence(again, from, to);
  const repaired = await checkEvidence(again, to, say);
  return { ...checked, bytes: checked.bytes + repaired.bytes, damaged: repaired.damaged };
}

async function verify({ from, evidenceFrom }: Request, io: Io, keep: Keep): Promise<Result> {
  const rows = keep(await openRows(from, true, io));
  refuseHalfCopy(await rows.setting(COPY_KEY), rows.shown);
  const named = await namedFiles(rows);
  const place = named.length === 0 ? undefined : (evidenceFrom ?? (await recordedEvidence(rows, from, io)));
  const tables: CopiedTable[] = [];
  for (const table of STORE_TABLES)
    tables.push({ table: table.name, ...(await digestOf(rows, table, sha256, wholeRows(zlib))) });
  if (place === undefined) return { tables, evidence: NONE_CHECKED, evidencePlace: undefined, left: 0 };
  const files = keep(await openEvidenceAt(place, io));
  const evidence = await checkEvidence(named, withSpool(files, from, io), sayTo(io));
  return { tables, evidence, evidencePlace: files.place, left: 0 };
}

function sayTo(io: Io): (line: string) => void {
  return line => io.stderr.write(`${line}\n`);
}

/**
 * Where a store, or its evidence, is, as the command line names it:
 *
 *     /var/lib/oakum            the data folder of a watch: rows in oakum.db, profiles in blobs
 *     postgres://...            rows
 *     s3://bucket/prefix        profiles
 */
type PlaceKind = 'folder' | 'database' | 'bucket';

function kindOfPlace(text: string): PlaceKind {
  return isPostgresUrl(text) ? 'database' : isS3Url(text) ? 'bucket' : 'folder';
}

/** Without a password. */
function shownPlace(place: string): string {
  return kindOfPlace(place) === 'database' ? parseStoreUrl(place).shown : place;
}

/** Loads only the client of the database that is named. */
async function openRows(place: string, toRead: boolean, io: Io): Promise<StoreRows> {
  if (kindOfPlace(place) === 'folder') {
    const { openSqliteRows } = await import('../../store/io/sqlite/store-rows.ts');
    return openSqliteRows(resolve(io.cwd, place), place, toRead);
  }
  const address = await storeAddress({ store: place, storeFile: '' }, io);
  const { openPostgresRows } = await import('../../store/io/postgres/store-rows.ts');
  return openPostgresRows(address?.url ?? place, toRead);
}

/** The profiles of a data folder, or a bucket. */
async function openEvidenceAt(place: string, io: Io): Promise<EvidenceFiles> {
  if (kindOfPlace(place) === 'folder') return new EvidenceFolder(join(resolve(io.cwd, place), 'blobs'));
  const say = (line: string): void => io.stderr.write(`oakum: ${line}\n`);
  return openBucket(evidenceSettings(place, io.env, io.cwd), say);
}

/** Where the rows say that their evidence is. */
async function recordedEvidence(rows: StoreRows, place: string, io: Io): Promise<string> {
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
function withSpool(files: EvidenceFiles, place: string, io: Io): Pick<EvidenceFiles, 'read'> {
  if (kindOfPlace(place) !== 'folder') return files;
  const spool = new EvidenceFolder(join(resolve(io.cwd, place), 'spool'));
  return { read: async sha256 => (await spool.read(sha256)) ?? files.read(sha256) };
}
