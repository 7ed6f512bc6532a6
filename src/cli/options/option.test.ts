import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nearest } from './option.ts';

it('finds the name that was probably meant, and nothing far away', () => {
  const names = ['analyze', 'pprof', 'watch', 'triage', 'catalogue', '--fail-on', '--color', '-o'];
  for (const [typed, meant] of [
    ['anaylze', 'analyze'],
    ['analyse', 'analyze'],
    ['pprf', 'pprof'],
    ['catalog', 'catalogue'],
    ['--fail-onn', '--fail-on'],
    ['--colour', '--color'],
    ['wacth', 'watch'],
  ] as const)
    assert.equal(nearest(typed, names), meant);
  for (const typed of ['zzzzzz', '', 'x', '--verbose', 'a'.repeat(100_000)])
    assert.equal(nearest(typed, names), undefined);
});
