import assert from 'node:assert/strict';
import { it } from 'node:test';
import { privateModules } from './code-names.ts';

it('private modules match patterns in time that does not explode', () => {
  const isPrivate = privateModules(['*a*a*a*a*a*a*a*a*a*a*b', 'x.?/y*z']);
  const beganMs = performance.now();
  assert.equal(isPrivate(`${'a'.repeat(200)}/x`), false);
  assert.ok(performance.now() - beganMs < 1000);
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
