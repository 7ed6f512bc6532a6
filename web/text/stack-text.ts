/** A stack in the forms that people paste: as Go prints it, folded, and the id of its family. */
import { familyId } from '../../src/analysis/families/family-id.ts';
import { FrameBook } from '../../src/analysis/families/frame-book.ts';
import { allocationPath } from '../../src/analysis/families/heap-families.ts';
import { stackKey } from '../../src/analysis/families/stack-key.ts';
import type { FamilyKind } from '../../src/model/family.ts';

export interface StackFrame {
  readonly name: string;
  /** `file.go:88`, `file.go` or ''. */
  readonly place: string;
}

/** Leaf first, as in a goroutine dump. */
export function stackText(frames: readonly StackFrame[]): string {
  return frames.map(({ name, place }) => (place === '' ? `${name}\n` : `${name}\n\t${place}\n`)).join('');
}

/** Root first, `main;serve;read 12`; what separates frames is taken out of their names. */
export function stackFolded(frames: readonly StackFrame[], value: number): string {
  return `${frames
    .map(({ name }) => name.replace(/[;\n]/g, ':'))
    .reverse()
    .join(';')} ${value}\n`;
}

/** Of a stack that goes down to its leaf; the same id as in every report. */
export function stackFamily(kind: FamilyKind, frames: readonly StackFrame[]): string {
  const book = new FrameBook();
  const ids = frames.map(({ name, place }) => book.idOf(name, place.replace(/:\d+$/, '')));
  const key = kind === 'heap' ? allocationPath(book, ids).key : stackKey(book, ids);
  return familyId(
    kind,
    key.map(id => book.names[id]),
  );
}

/** An absolute path may hold blanks, and so may the type arguments of a function; a relative path does not. */
const PLACE = / (?:(?:\/|[A-Za-z]:[\\/]).*|[^ ]+):\d+$/;

/** A line of a family's example, `main.serve /src/main.go:88`. */
export function parseFrame(line: string): StackFrame {
  const at = line.search(PLACE);
  return at < 0 ? { name: line, place: '' } : { name: line.slice(0, at), place: line.slice(at + 1) };
}
