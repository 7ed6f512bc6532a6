import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { basename, cleanPath } from './go-path.ts';

/** Path, filepath.Base, filepath.Clean, as Go 1.26 has them on Unix. */
const GO: readonly (readonly [path: string, base: string, clean: string])[] = [
  ['', '.', '.'],
  ['/', '/', '/'],
  ['//', '/', '/'],
  ['a', 'a', 'a'],
  ['a/', 'a', 'a'],
  ['a//', 'a', 'a'],
  ['/a', 'a', '/a'],
  ['/a/b/', 'b', '/a/b'],
  ['a/b/../c', 'c', 'a/c'],
  ['../a', 'a', '../a'],
  ['../../a', 'a', '../../a'],
  ['/..', '..', '/'],
  ['/../a', 'a', '/a'],
  ['a/..', '..', '.'],
  ['./a', 'a', 'a'],
  ['a/./b', 'b', 'a/b'],
  ['a//b', 'b', 'a/b'],
  ['/a/../../b', 'b', '/b'],
  ['a/b/../../..', '..', '..'],
  ['...', '...', '...'],
  ['a/...', '...', 'a/...'],
  ['..', '..', '..'],
  ['.', '.', '.'],
  [' ', ' ', ' '],
  ['a/../../b', 'b', '../b'],
  ['C:\\x', 'C:\\x', 'C:\\x'],
  ['/a/b/.', '.', '/a/b'],
  ['x/..y', '..y', 'x/..y'],
];

it('agrees with path/filepath', () => {
  for (const [path, base, clean] of GO) {
    assert.equal(basename(path), base, path);
    assert.equal(cleanPath(path), clean, path);
  }
});

it('changes nothing when it cleans again', () => {
  const part = fc.constantFrom('', '.', '..', 'a', 'bc', '...', '.x');
  fc.assert(
    fc.property(fc.array(part), parts => {
      const clean = cleanPath(parts.join('/'));
      assert.equal(cleanPath(clean), clean);
      assert.ok(!/\/\/|.\/$|\/\.(\/|$)/.test(clean), clean);
    }),
  );
});
