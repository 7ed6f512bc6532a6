/** A stack in the forms that people paste: as Go prints it, and folded; and where its code is. */
import type { FindingFamily } from '../../src/judge/analysis.ts';
import { shortPath } from './short-names.ts';
import { shortName } from '../../src/profile/families/normalise.ts';

export interface StackFrame {
  readonly name: string;
  /** `file.go:88`, `file.go` or ''. */
  readonly place: string;
}

/** Innermost call first, as in a goroutine dump. */
export function stackText(frames: readonly StackFrame[]): string {
  return frames.map(({ name, place }) => (place === '' ? `${name}\n` : `${name}\n\t${place}\n`)).join('');
}

/** Outermost call first, `main;serve;read 12`. Separators within names become colons. */
export function stackFolded(frames: readonly StackFrame[], value: number): string {
  return `${frames
    .map(({ name }) => name.replace(/[;\n]/g, ':'))
    .reverse()
    .join(';')} ${value}\n`;
}

/** An absolute path may contain spaces, and so may the type arguments of a function; a relative path may not. */
const PLACE = / (?:(?:\/|[A-Za-z]:[\\/]).*|[^ ]+):\d+$/;

/** Reads a line of a family's example: `main.serve /src/main.go:88`. */
export function parseFrame(line: string): StackFrame {
  const at = line.search(PLACE);
  return at < 0 ? { name: line, place: '' } : { name: line.slice(0, at), place: line.slice(at + 1) };
}

/** `kubelet/pod_workers.go:1155, created by wait.(*Group).Start at wait/wait.go:70`; '' if unknown. */
export function placeText({ at, createdBy, createdAt }: FindingFamily): string {
  const parts = at === null ? [] : [shortPath(at)];
  if (createdBy !== null && createdAt !== null) {
    parts.push(`created by ${shortName(createdBy)} at ${shortPath(createdAt)}`);
  }
  return parts.join(', ');
}
