/** The parts of a member's path; members of archives have `/` on every system. */

/** The last part: `heap.pb.gz` of `worker-17/heap.pb.gz`. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** All before it, with the slash: `worker-17/`; '' when there is no folder. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
