import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FormatError } from '../base/errors.ts';
import { type PileItem, readMembers } from './pile.ts';

async function* pile(): AsyncGenerator<PileItem> {
  const member = { kind: 'member', bytes: new Uint8Array(0), mtimeSeconds: undefined } as const;
  yield { ...member, path: 'a', damage: undefined };
  yield { kind: 'problem', path: 'b', message: 'permission denied' };
  yield { ...member, path: 'c', damage: 'the gzip stream ends early' };
  yield { ...member, path: 'd', damage: undefined };
}

it('goes on after a file that cannot be read, and says why', async () => {
  const seen: string[] = [];
  const unread = await readMembers(pile(), ({ path }) => {
    seen.push(path);
    if (path === 'c') throw new FormatError('a header expected', { line: 3 });
    if (path === 'd') throw new RangeError('Invalid string length');
  });
  assert.deepEqual(seen, ['a', 'c', 'd']);
  assert.deepEqual(unread, [
    { path: 'b', message: 'permission denied' },
    { path: 'c', message: 'the gzip stream ends early; a header expected at line 3' },
    { path: 'd', message: 'Invalid string length' },
  ]);
});

it('does not hide a bug', async () => {
  const bug = (): never => {
    throw new TypeError('undefined is not a function');
  };
  await assert.rejects(readMembers(pile(), bug), TypeError);
});
