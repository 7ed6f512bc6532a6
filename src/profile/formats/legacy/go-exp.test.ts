import assert from 'node:assert/strict';
import { it } from 'node:test';
import { goExp } from './heap-scale.ts';

function double(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

// Bits of x and of Go's math.Exp(x) on amd64; Math.exp differs from each in the last bit.
const PAIRS = [
  ['bfd6d66d51bfb578', '3fe66577a87758c1'],
  ['c025a96bc753de1c', '3ef4bd5417fcd53f'],
  ['c07e8ee635347dad', '13d89d0e66cafa64'],
  ['c06e452eded1688a', '2a18d4f98b813013'],
  ['c085f30a095e937b', '0099a25dd61e947f'],
  ['bf9a3783dc16c9a0', '3fef30ed5fe2ace5'],
  ['c030603de5366973', '3e74be096e494b75'],
  ['c0139289fcbdd82c', '3f7eb6562533000f'],
  ['c0862d3a749cd684', '00048d31647a06b1'],
  ['bfdef7ff67772a4c', '3fe3b969127e2229'],
  ['c034a1f2c77f54db', '3e12cf61fcf5d754'],
  ['bff217273002e117', '3fd4a91fc06aaa23'],
];

it('goExp has the last bit of Go on amd64', () => {
  for (const [x, want] of PAIRS) assert.equal(goExp(double(x)), double(want), `exp(${double(x)})`);
});

it('goExp has the limits of exp', () => {
  assert.equal(goExp(0), 1);
  assert.equal(goExp(-1e12), 0);
  assert.equal(goExp(-Infinity), 0);
  assert.equal(goExp(Infinity), Infinity);
  assert.ok(Number.isNaN(goExp(NaN)));
  for (let x = -40; x <= 40; x += 0.37) assert.ok(Math.abs(goExp(x) / Math.exp(x) - 1) < 1e-15);
});
