/** `oakum store copy FROM TO`, `oakum store verify PLACE`. */
import { digestsFor } from '../../adapters/archive/digests.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { Failure } from '../../base/failure.ts';
import {
  type CheckedEvidence,
  checkEvidence,
  copyEvidence,
  namedFiles,
} from '../../engine/store-copy/copy-evidence.ts';
import { compareRows, type CopiedTable, copyRows, endCopy } from '../../engine/store-copy/copy-rows.ts';
import { digestOf } from '../../engine/store-copy/table-digest.ts';
import { STORE_TABLES } from '../../model/store-tables.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import { PLACE_KEY } from '../../ports/evidence-place.ts';
import { COPY_KEY, refuseHalfCopy, type StoreRows } from '../../ports/store-rows.ts';
import { storeCopyText } from '../../report/store-copy-text.ts';
import { kindOfPlace, openEvidenceAt, openRows, recordedEvidence, withSpool } from '../connect/store-places.ts';
import type { Io } from '../terminal/io.ts';

export interface StoreRequest {
  readonly action: 'copy' | 'verify';
  readonly from: string;
  /** '' to verify. */
  readonly to: string;
  readonly evidenceFrom: string | undefined;
  readonly evidenceTo: string | undefined;
  readonly output: 'text' | 'json';
}

const NONE_CHECKED: CheckedEvidence = { files: 0, bytes: 0, missing: [], damaged: [] };
const { sha256 } = digestsFor(new Uint8Array());

export async function runStore(request: StoreRequest, io: Io): Promise<number> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const work = request.action === 'verify' ? verify : kindOfPlace(request.from) === 'bucket' ? copyBack : copy;
    const { tables, evidence, evidencePlace } = await work(request, io, keep);
    const result = { from: request.from, to: request.to, tables, evidence, evidencePlace };
    io.stdout.write(request.output === 'json' ? `${JSON.stringify(result, null, 2)}\n` : storeCopyText(result));
    const bad = evidence.missing.length + evidence.damaged.length;
    if (bad === 0) return EXIT.done;
    io.stderr.write(`oakum: ${bad} of ${evidence.files} profiles are missing or damaged; the rest is complete\n`);
    return EXIT.actionFailed;
  } finally {
    for (const one of opened.reverse()) await one.close();
  }
}

interface Result {
  readonly tables: readonly CopiedTable[];
  readonly evidence: CheckedEvidence;
  /** Where the profiles are; undefined if they were not looked at. */
  readonly evidencePlace: string | undefined;
}

type Keep = <T extends { close(): Promise<void> }>(one: T) => T;

/** From rows: to other rows, with or without their profiles, or only the profiles to a bucket. */
async function copy({ from, to, evidenceFrom, evidenceTo }: StoreRequest, io: Io, keep: Keep): Promise<Result> {
  const say = sayTo(io);
  const source = keep(await openRows(from, true, io));
  refuseHalfCopy(await source.setting(COPY_KEY), source.shown);
  if (kindOfPlace(to) === 'bucket') {
    const files = keep(await openEvidenceAt(to, io));
    const evidence = await moveEvidence(source, from, evidenceFrom, files, io, keep);
    return { tables: [], evidence, evidencePlace: files.place };
  }
  const target = keep(await openRows(to, false, io));
  await copyRows(source, target, say);
  const place = evidenceTo ?? (kindOfPlace(to) === 'folder' ? to : undefined);
  const files = place === undefined ? undefined : keep(await openEvidenceAt(place, io));
  const evidence = files === undefined ? NONE_CHECKED : await moveEvidence(source, from, evidenceFrom, files, io, keep);
  say('comparing every table');
  const tables = await compareRows(source, target, sha256);
  const recorded = files?.place ?? (await source.setting(PLACE_KEY));
  await target.write(undefined, [], { [PLACE_KEY]: recorded });
  await endCopy(target);
  return { tables, evidence, evidencePlace: files?.place };
}

/** From a bucket, back to the data folder whose rows name the profiles. */
async function copyBack({ from, to, evidenceTo }: StoreRequest, io: Io, keep: Keep): Promise<Result> {
  if (kindOfPlace(to) === 'bucket')
    throw new Failure(
      'usage',
      'one of both has to be a store, whose rows name the profiles: a data folder or postgres://',
    );
  const rows = keep(await openRows(to, true, io));
  const place = evidenceTo ?? (kindOfPlace(to) === 'folder' ? to : undefined);
  if (place === undefined) throw new Failure('usage', `name the data folder for the profiles with --evidence-to DIR`);
  const files = keep(await openEvidenceAt(place, io));
  const evidence = await moveEvidence(rows, to, from, files, io, keep);
  return { tables: [], evidence, evidencePlace: files.place };
}

async function moveEvidence(
  rows: StoreRows,
  rowsPlace: string,
  given: string | undefined,
  to: EvidenceFiles,
  io: Io,
  keep: Keep,
): Promise<CheckedEvidence> {
  const say = sayTo(io);
  const named = await namedFiles(rows);
  if (named.length === 0) return NONE_CHECKED;
  const from = keep(await openEvidenceAt(given ?? (await recordedEvidence(rows, rowsPlace, io)), io));
  await to.open();
  await copyEvidence(named, withSpool(from, rowsPlace, io), to, say);
  say('reading every profile back');
  return checkEvidence(named, to, say);
}

async function verify({ from, evidenceFrom }: StoreRequest, io: Io, keep: Keep): Promise<Result> {
  const rows = keep(await openRows(from, true, io));
  refuseHalfCopy(await rows.setting(COPY_KEY), rows.shown);
  const tables: CopiedTable[] = [];
  for (const table of STORE_TABLES) tables.push({ table: table.name, ...(await digestOf(rows, table, sha256)) });
  const named = await namedFiles(rows);
  if (named.length === 0) return { tables, evidence: NONE_CHECKED, evidencePlace: undefined };
  const files = keep(await openEvidenceAt(evidenceFrom ?? (await recordedEvidence(rows, from, io)), io));
  const evidence = await checkEvidence(named, withSpool(files, from, io), sayTo(io));
  return { tables, evidence, evidencePlace: files.place };
}

function sayTo(io: Io): (line: string) => void {
  return line => io.stderr.write(`${line}\n`);
}
