/**
 * The name of a file in a bundle.
 *
 *     /captures/worker-17/profiles/heap-1794772585.pb.gz   ->   worker-17/profiles/heap-1794772585.pb.gz
 *
 * The folder that names the target is kept. Each profile is compressed, as `go tool pprof` reads it; text is not, since
 * the archive is.
 */
import { targetInPath } from '../target-in-path.ts';
import type { StoredFormat } from '../formats/registry.ts';

export function storedName(name: string, format: StoredFormat): string {
  // A file may be called `.gz`, and a path may be nothing but dots.
  const plain = name.replace(/(?<=[^/])\.gz$/i, '') || 'raw';
  if (format !== 'pprof') return plain;
  return /\.(?:pb|pprof|prof)$/i.test(plain) ? `${plain}.gz` : `${plain}.pb.gz`;
}

/** A member's path, starting with the folder that names its target; `roots` are the paths that the user gave. */
export function pathInBundle(path: string, roots: readonly string[]): string {
  const root = roots.find(one => path === one || path.startsWith(`${one}/`)) ?? '';
  const isFile = path === root;
  const folder = isFile ? root.slice(0, root.lastIndexOf('/')) : root;
  const parts = folder.split('/');
  const target = targetInPath(`${folder}/x`).folder;
  const from = target === '' ? parts.length - 1 : target.split('/').length - 1;
  const inside = path.slice(folder.length + 1);
  return [...parts.slice(from), ...inside.split('/')]
    .filter(part => part !== '')
    .map((part, i, all) => (i < all.length - 1 ? part.replace(/(?:\.tar(?:\.gz)?|\.tgz)$/i, '') : part))
    .join('/');
}

/** `.pb.gz` of `heap-go1.19.pb.gz`. */
const ENDING = /(?:\.[a-z]\w{0,7})*$/i;

/**
 * The path, marked as a copy before its ending if another file has the same path. The mark is a word that every path may
 * have (member-path.ts): a bare number would be hidden by a second redaction.
 */
export function uniquePath(path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path)) return path;
  const ending = ENDING.exec(path)?.[0] ?? '';
  const name = path.slice(0, path.length - ending.length);
  for (let number = 2; ; number++) {
    const candidate = `${name}-copy${number}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}
