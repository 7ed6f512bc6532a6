/** `--attributes FILE`: what targets are, as CSV or JSON. */
import { resolve } from 'node:path';
import { readBoundedText } from '../../evidence/io/read-bounded-file.ts';
import { type DescribedTargets, readAttributeFile } from '../../evidence/read-attribute-file.ts';
import type { Io } from '../terminal/io.ts';

const MAX_BYTES = 64 * 2 ** 20;

export async function readAttributes(path: string | undefined, io: Io): Promise<DescribedTargets | undefined> {
  if (path === undefined) return undefined;
  return readAttributeFile(await readBoundedText(resolve(io.cwd, path), MAX_BYTES, path), path);
}
