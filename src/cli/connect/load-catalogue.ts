/** Known leaks: the bundled ones, and those in a folder. */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { oneLine } from '../../base/text-layout.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { mergeCatalogues, readLeak } from '../../knowledge/read-leak.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Io } from '../io.ts';
import { readBoundedText } from '../../evidence/io/read-bounded-file.ts';
import { Failure } from '../../base/errors.ts';

const MAX_ENTRY_BYTES = 2 ** 20;

export interface LoadedCatalogue {
  readonly leaks: readonly KnownLeak[];
  /** Problems in the files of the folder, one line each; their entries are left out. */
  readonly problems: readonly string[];
}

/** The bundled catalogue with the entries of `folder`, if any; says on stderr which bundled entries they replace. */
export async function loadCatalogue(folder: string | undefined, io: Io): Promise<LoadedCatalogue> {
  if (folder === undefined) return { leaks: BUNDLED_LEAKS, problems: [] };
  const path = resolve(io.cwd, folder);
  const names = (await readdir(path)).filter(name => /\.ya?ml$/.test(name)).sort();
  if (names.length === 0) io.stderr.write(`oakum: ${folder} has no .yaml files\n`);
  const own: KnownLeak[] = [];
  const problems: string[] = [];
  for (const name of names) {
    const reading = readLeak(await readBoundedText(join(path, name), MAX_ENTRY_BYTES, name), name);
    problems.push(...reading.problems);
    if (reading.leak !== undefined) own.push(reading.leak);
  }
  const { leaks, overridden } = mergeCatalogues(BUNDLED_LEAKS, own);
  for (const id of overridden) io.stderr.write(`oakum: ${id} of ${folder} replaces the bundled entry\n`);
  return { leaks, problems };
}

/** The same for commands that need every entry: fails if an entry of the folder cannot be read. */
export async function catalogueOf(folder: string | undefined, io: Io): Promise<readonly KnownLeak[]> {
  const { leaks, problems } = await loadCatalogue(folder, io);
  for (const problem of problems) io.stderr.write(`oakum: ${oneLine(problem)}\n`);
  if (problems.length === 0) return leaks;
  throw new Failure('unreadable', `--catalogue ${folder} has problems; oakum catalogue lint lists them all`);
}
