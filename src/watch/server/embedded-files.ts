/**
 * Oakum as one executable: a Node.js with the program and its files inside (`npm run sea`).
 *
 *     index.json              the names of all others
 *     package.json            its version
 *     store-thread.js ...     threads, each a script of its own
 *     web/..., demo/...       the UI; the recorded cluster
 */
import { getAsset, getRawAsset, isSea } from 'node:sea';

export interface EmbeddedFiles {
  /** Names that begin so. */
  namesBelow(prefix: string): readonly string[];
  readText(name: string): string;
  read(name: string): Uint8Array;
}

/** Undefined unless Oakum is one executable. */
export function embeddedFiles(): EmbeddedFiles | undefined {
  if (!isSea()) return undefined;
  return {
    namesBelow: prefix =>
      (JSON.parse(getAsset('index.json', 'utf8')) as string[]).filter(name => name.startsWith(prefix)),
    readText: name => getAsset(name, 'utf8'),
    read: name => new Uint8Array(getRawAsset(name) as ArrayBuffer).slice(),
  };
}
