import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertLinear } from '../../../test/linear-work.ts';
import { privateModules } from './code-names.ts';

it('private modules match patterns, in time that grows with the path', () => {
  const isPrivate = privateModules(['*a*a*a*a*a*a*a*a*a*a*b', 'x.?/y*z']);
  assertLinear(5000, size => {
    const path = `${'a'.repeat(size)}/x`;
    return () => assert.equal(isPrivate(path), false);
  });
  for (const [path, expected] of [
    [`${'a'.repeat(20)}b/x`, true],
    ['x.y/yz', true],
    ['x.y/y-any-z/more', true],
    ['x.y/y', false],
    ['x.yy/yz', false],
    ['x.y', false],
  ] as const)
    assert.equal(isPrivate(path), expected, path);
});
