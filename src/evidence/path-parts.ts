/** The parts of a member's path; members of archives have `/` on every system. */

/** The last part: `heap.pb.gz` of `worker-17/heap.pb.gz`. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const FORM =
  /^(?:heap|goroutines?|goroutineleak|allocs?|block|mutex|threadcreate|profile|stacks?|dump|debug\d?|d[012]|gc[01]?|nogc|no|pb|pprof|prof|proto|txt|text|log|gz)$/i;

/** What is left of the name without kind and format: `100k` of `100k-goroutine.debug1.txt` and `heap-100k.gc1.pb.gz`. */
export function stemOf(path: string): string {
  const words = fileName(path).split(/[-_.]/);
  return words.filter(word => word !== '' && !FORM.test(word)).join('-');
}

/** All before it, with the slash: `worker-17/`; '' when there is no folder. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The time in a file's name: unix seconds or milliseconds, or a date with a time, in UTC. */
const UNIX = /(?:^|\D)(1[0-9]{9})(?:\.\d+|\d{3})?(?=\D|$)/;
const DATE =
  /(?:^|\D)(20\d\d)-?([01]\d)-?([0-3]\d)(?:[T_ -]?([012]\d)[-:_.h]?([0-5]\d)(?:[-:_.m]?([0-5]\d))?)?(?=\D|$)/;

/** The file's own name first, then the folders, nearest first. */
export function timeInPath(path: string): number | undefined {
  for (const name of path.split('/').reverse()) {
    const seconds = timeInName(name);
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

export function timeInName(name: string): number | undefined {
  const date = DATE.exec(name);
  if (date !== null) {
    const [year = 0, month = 0, day = 0, hour, minute, second] = date.slice(1).map(part => Number(part ?? 0));
    const millis = Date.UTC(year, month - 1, day, hour, minute, second);
    const isValid = month >= 1 && month <= 12 && day >= 1 && new Date(millis).getUTCDate() === day;
    if (isValid && (hour ?? 0) < 24) return millis / 1000;
  }
  const unix = UNIX.exec(name);
  return unix === null ? undefined : Number(unix[1]);
}

/**
 * The target that a file's path names.
 *
 *     lab/leak-a/profiles/heap-1794772585.pb.gz           folder lab/leak-a            prefix
 *     control-plane/start/etcd-goroutine-d1.txt.gz        folder control-plane         prefix etcd
 *     leakdemo/go1.27/t3/heap.debug0.pb.gz                folder leakdemo/go1.27       prefix
 *
 * Folders that name a kind of file, a moment or a time are not targets.
 */
interface TargetInPath {
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
