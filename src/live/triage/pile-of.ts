/** Data from elsewhere as a pile of files. */
import type { PileItem } from '../../evidence/pile.ts';
import type { Answer } from '../reply.ts';

export async function* pileOf(items: readonly PileItem[]): AsyncGenerator<PileItem> {
  yield* items;
}

/** The body of an answer, as a file of that name. */
export function memberOf(path: string, { body }: Answer): PileItem {
  return { kind: 'member', path, bytes: body, mtimeSeconds: undefined, damage: undefined };
}
