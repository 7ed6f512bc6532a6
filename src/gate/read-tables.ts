/** The families in a profile that a round kept. */
import { familiesOf } from '../evidence/snapshots/families-of.ts';
import { FormatError } from '../base/errors.ts';
import { decodeText } from '../base/text.ts';
import { readMember, type ReadSnapshot } from '../evidence/snapshots/read-member.ts';

/** Undefined if it is nothing that can be read. */
export function readKept(path: string, bytes: Uint8Array): readonly ReadSnapshot[] | undefined {
  const member = { kind: 'member', path, bytes, mtimeSeconds: undefined, damage: undefined } as const;
  try {
    return readMember(member, { families: familiesOf, keepStacks: false });
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** `@ heap/1048576` in the first line of a heap profile: twice the bytes between two samples. */
export function memProfileRateOf(bytes: Uint8Array): number | undefined {
  const [, twice] = /@ heap(?:profile)?\/(\d+)/.exec(decodeText(bytes.subarray(0, 200)).split('\n')[0] ?? '') ?? [];
  return twice === undefined ? undefined : Number(twice) / 2;
}
