import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressOf, type DroppedProfile, withOwnPaths } from './dropped-files.ts';
import type { OpenedProfile } from './open-profile.ts';

it('one file opens its page, several are compared in order', () => {
  const dropped = (key: string, name: string, kind: string, takenAt?: number): DroppedProfile => ({
    key,
    opened: { name, kind, takenAt } as OpenedProfile,
  });
  const one = dropped('local-1', 'heap-9.pb.gz', 'heap');
  assert.equal(addressOf([one]), '/p/local-1');
  assert.equal(addressOf([dropped('local-2', 'heap-10.pb.gz', 'heap'), one]), '/compare?a=local-1&b=local-2');
  const timed = [dropped('a', 'x', 'heap', 30), dropped('b', 'y', 'heap', 10), dropped('c', 'z', 'heap', 20)];
  assert.equal(addressOf(timed), '/compare?a=b&b=a', 'the earliest against the latest');
  assert.equal(addressOf([one, dropped('g', 'g', 'goroutine')]), undefined, 'several kinds are analysed');
});

it('files of one name are told apart', () => {
  const file = {} as File;
  const paths = withOwnPaths(['heap', 'cpu', 'heap'].map(path => ({ path, file }))).map(({ path }) => path);
  assert.deepEqual(paths, ['heap', 'cpu', 'heap (2)']);
});
