import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertLinear } from './linear-work.ts';

it('accepts linear work, whatever the garbage collector does beside it', () => {
  const ballast = Array.from({ length: 200_000 }, (_, i) => ({ text: `${i}`, list: [i] }));
  assertLinear(2000, size => () => new Map(Array.from({ length: size }, (_, i) => [`k${i}`, { i }])));
  assert.equal(ballast.length, 200_000);
});

it('refuses quadratic work in a loop of ours', () => {
  const compareAll = (size: number): number => {
    let equal = 0;
    for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) equal += Number(((i ^ j) & 7) === 0);
    return equal;
  };
  assert.throws(() => assertLinear(300, size => () => compareAll(size)), /times the CPU/);
});

it('refuses quadratic work that the engine does, such as a search from every place', () => {
  const searchAll = (text: string): number => {
    let found = 0;
    for (let i = 0; i < text.length; i++) found += Number(text.indexOf('y', i) >= 0);
    return found;
  };
  const prepare = (size: number): (() => number) => {
    const text = 'x'.repeat(size);
    return () => searchAll(text);
  };
  assert.throws(() => assertLinear(3000, prepare), /times the CPU/);
});
