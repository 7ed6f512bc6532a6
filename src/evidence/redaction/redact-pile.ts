/** Redacts a pile: the members under redacted paths, and a list of what is left out. */
import { FormatError } from '../../base/errors.ts';
import { redactMemberPath } from './member-path.ts';
import type { Redactor } from './redactor.ts';
import type { LeftOut } from '../bundle.ts';
import type { PileItem } from '../pile.ts';
import { redactMember, type RedactedMember } from './redact-member.ts';
import { pathInBundle, storedName, uniquePath } from './stored-name.ts';

export interface RedactedItem extends RedactedMember {
  readonly kind: 'member';
  readonly path: string;
  /** The path that the user knows. */
  readonly originalPath: string;
}

export interface LeftOutItem extends LeftOut {
  readonly kind: 'left-out';
  readonly originalPath: string;
}

export async function* redactPile(
  items: AsyncIterable<PileItem>,
  roots: readonly string[],
  redactor: Redactor,
): AsyncGenerator<RedactedItem | LeftOutItem> {
  const taken = new Set<string>();
  for await (const item of items) {
    const path = redactMemberPath(pathInBundle(item.path, roots), redactor);
    const leftOut = (reason: string): LeftOutItem => ({ kind: 'left-out', path, originalPath: item.path, reason });
    if (item.kind === 'problem') {
      // The message may quote the file.
      yield leftOut('could not be read');
      continue;
    }
    try {
      const redacted = redactMember(item.bytes, redactor, item.mtimeSeconds);
      const unique = uniquePath(storedName(path, redacted.format), taken);
      taken.add(unique);
      yield { kind: 'member', ...redacted, path: unique, originalPath: item.path };
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      yield leftOut(error.message);
    }
  }
}

/** The redacted members as a pile, with the times of their files. */
export async function* redactedItems(
  items: AsyncIterable<PileItem>,
  roots: readonly string[],
  redactor: Redactor,
): AsyncGenerator<PileItem> {
  const times = new Map<string, number | undefined>();
  const timed = async function* (): AsyncGenerator<PileItem> {
    for await (const item of items) {
      if (item.kind === 'member') times.set(item.path, item.mtimeSeconds);
      yield item;
    }
  };
  for await (const item of redactPile(timed(), roots, redactor)) {
    if (item.kind === 'left-out') continue;
    const { path, bytes, originalPath } = item;
    yield { kind: 'member', path, bytes, mtimeSeconds: times.get(originalPath), damage: undefined };
  }
}
