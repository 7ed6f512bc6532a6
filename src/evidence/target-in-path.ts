/**
 * The target that a file's path names.
 *
 *     lab/leak-a/profiles/heap-1794772585.pb.gz           folder lab/leak-a            prefix
 *     control-plane/start/etcd-goroutine-d1.txt.gz        folder control-plane         prefix etcd
 *     leakdemo/go1.27/t3/heap.debug0.pb.gz                folder leakdemo/go1.27       prefix
 *
 * Folders that name a kind of file, a moment or a time are not targets.
 */

import { timeInName } from './path-parts.ts';

export interface TargetInPath {
  readonly folder: string;
  /** The part of the file's name before the kind. */
  readonly prefix: string;
}

const KIND =
  /^(?:heap(?:gc)?|goroutines?|goroutineleak|allocs?|cpu|profiles?|block|mutex|threadcreate|metrics|trace|stats|dump|stacks?|sigquit|logs?|events|pods|nodes|leases|configz|healthz|version|inuse|pprof|deploy|runningpods|kubectl-version)\d*$/i;
const MOMENT =
  /^(?:(?:before|after|start|end|begin|finish|first|last|base|baseline|old|new|t|round|snap|snapshot|run|step|phase)(?:[-_]?\d+|[-_].*)?|\d{1,3}(?:-.*)?)$/i;
const HOLDER = /^(?:profiles?|pprof|once|metrics|debug|captures?|dumps?|evidence|files|logs?|tmp|data|\.|\.\.)$/i;

export function targetInPath(path: string): TargetInPath {
  const folders = path.split('/');
  const file = folders.pop() ?? '';
  const last = folders.findLastIndex(folder => !isNoTarget(folder));
  return {
    folder: folders
      .slice(0, last + 1)
      .map(withoutArchive)
      .join('/'),
    prefix: prefixOf(file),
  };
}

function isNoTarget(folder: string): boolean {
  return HOLDER.test(folder) || MOMENT.test(folder) || timeInName(folder) !== undefined;
}

/** An archive counts as the folder that it was made from. */
function withoutArchive(folder: string): string {
  return folder.replace(/(?:\.tar(?:\.gz)?|\.tgz)$/i, '');
}

function prefixOf(file: string): string {
  const words = file.split(/[-_.]/);
  const kindAt = words.findIndex(word => KIND.test(word));
  const before = kindAt <= 0 ? [] : words.slice(0, kindAt);
  return before
    .filter(word => !MOMENT.test(word) || /^\d+$/.test(word))
    .filter(word => !/^\d{8,}/.test(word))
    .join('-');
}

/** The deepest folder above all of these. */
export function commonFolder(folders: readonly string[]): string {
  const [first = '', ...rest] = folders;
  let parts = first.split('/');
  for (const folder of rest) {
    const other = folder.split('/');
    const differs = parts.findIndex((part, i) => part !== other[i]);
    if (differs >= 0) parts = parts.slice(0, differs);
  }
  return parts.join('/');
}
