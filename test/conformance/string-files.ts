/** google/pprof's own legacy profiles and the output of its Profile.String for each: `X` and `X.string`. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { FormatError } from '../../src/base/errors.ts';
import { encodeText } from '../../src/base/text.ts';
import { readLegacy } from '../../src/profile/formats/legacy/legacy.ts';
import { rawReport } from '../../src/profile/pprof/reports/raw.ts';

export const STRING_FILES_FOLDER: URL = new URL(
  '../../../shared/conformance/google-pprof/profile/testdata/',
  import.meta.url,
);

/** Compares each pair; empty if the files are missing. */
export async function stringFilePairs(): Promise<{ name: string; passed: boolean; detail?: string }[]> {
  if (!existsSync(STRING_FILES_FOLDER)) return [];
  const names = (await readdir(STRING_FILES_FOLDER)).filter(name => name.endsWith('.string')).sort();
  return Promise.all(
    names.map(async stringName => {
      const name = stringName.slice(0, -'.string'.length);
      const want = await readFile(new URL(stringName, STRING_FILES_FOLDER));
      const got = printed(await readFile(new URL(name, STRING_FILES_FOLDER)));
      const detail = firstDifference(want, got);
      return detail === undefined ? { name, passed: true } : { name, passed: false, detail };
    }),
  );
}

function printed(bytes: Uint8Array): Uint8Array {
  try {
    return encodeText(rawReport(readLegacy(bytes)));
  } catch (error) {
    if (error instanceof FormatError) return encodeText(`error: ${error.describe()}\n`);
    throw error;
  }
}

function firstDifference(want: Uint8Array, got: Uint8Array): string | undefined {
  if (Buffer.compare(want, got) === 0) return undefined;
  const wanted = Buffer.from(want).toString().split('\n');
  const gotten = Buffer.from(got).toString().split('\n');
  const at = wanted.findIndex((line, i) => line !== gotten[i]);
  return `line ${at + 1}: want ${JSON.stringify(wanted[at])}, got ${JSON.stringify(gotten[at])}`;
}
