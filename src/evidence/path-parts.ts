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
