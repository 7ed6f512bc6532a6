/** Dropped or chosen files. They stay in this tab: `local-1`, `local-2` ..., and several together as `pile-1`. */

export interface GivenFile {
  /** With its folders: `worker-17/heap.pb.gz`. */
  readonly path: string;
  readonly file: File;
}

const files = new Map<string, File>();
const piles = new Map<string, readonly LocalFile[]>();

export interface LocalFile extends GivenFile {
  readonly key: string;
}

export function keepFile(file: File): string {
  const key = `local-${files.size + 1}`;
  files.set(key, file);
  return key;
}

export function localFile(key: string): File | undefined {
  return files.get(key);
}

export function keepPile(members: readonly LocalFile[]): string {
  const key = `pile-${piles.size + 1}`;
  piles.set(key, members);
  return key;
}

export function localPile(key: string): readonly LocalFile[] | undefined {
  return piles.get(key);
}
