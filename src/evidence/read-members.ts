/** Reads the members of a pile one by one. A member that cannot be read gets one line; the others are still read. */
import { FormatError } from '../base/errors.ts';
import type { PileItem, PileMember, UnreadFile } from './pile.ts';

export async function readMembers(
  items: AsyncIterable<PileItem>,
  read: (member: PileMember) => void,
): Promise<UnreadFile[]> {
  const unread: UnreadFile[] = [];
  for await (const item of items) {
    if (item.kind === 'problem') unread.push({ path: item.path, message: item.message });
    else readOne(item.path, unread, () => read(item), item.damage);
  }
  return unread;
}

/** `damage` is what is known to be wrong with the file before it is read. */
export function readOne(path: string, unread: UnreadFile[], read: () => void, damage?: string): void {
  try {
    read();
  } catch (error) {
    // A file that is too large for the engine ends in a RangeError; everything else is a bug.
    if (!(error instanceof FormatError) && !(error instanceof RangeError)) throw error;
    const message = error instanceof FormatError ? error.describe() : error.message;
    unread.push({ path, message: damage === undefined ? message : `${damage}; ${message}` });
  }
}
