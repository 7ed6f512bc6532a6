/**
 * Under which name a file lies in a bundle.
 *
 *     /captures/worker-17/profiles/heap-1794772585.pb.gz   ->   worker-17/profiles/heap-1794772585.pb.gz
 *
 * The folder that names the target comes along. Profiles are compressed each, as `go tool pprof` takes them; text is
 * not, since the archive is.
 */
import { targetInPath } from '../evidence/path/target-in-path.ts';
import type { StoredFormat } from '../formats/registry.ts';

export function storedName(name: string, format: StoredFormat): string {
  const plain = name.replace(/\.gz$/i, '');
  if (format !== 'pprof') return plain;
  return /\.(?:pb|pprof|prof)$/i.test(plain) ? `${plain}.gz` : `${plain}.pb.gz`;
}

/** A member's path from the folder that names its target on; `roots` are what the user named. */
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

/** The path, or with a number before its ending where another file has it. */
export function uniquePath(path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path)) return path;
  const dot = path.indexOf('.', path.lastIndexOf('/') + 1);
  const [name, ending] = dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot)];
  for (let number = 2; ; number++) {
    const candidate = `${name}-${number}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}
