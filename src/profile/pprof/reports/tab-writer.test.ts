import assert from 'node:assert/strict';
import { it } from 'node:test';
import { alignRight } from './tags.ts';

it('aligns the cells of neighbouring lines to the right', () => {
  assert.equal(
    alignRight(['key:\t Total 1', ' \t10 (50%):\t x', ' \t5 (5%):\t yy', '']),
    ' key: Total 1\n      10 (50%): x\n        5 (5%): yy\n\n',
  );
});

it('ends a column at a line with fewer cells', () => {
  assert.equal(alignRight(['aaaa\tx', 'none', 'b\ty']), ' aaaax\nnone\n by\n');
  assert.equal(alignRight(['a\tbbb\tc', 'a\tx', 'a\tb\tc']), ' a bbbc\n ax\n a bc\n');
});

it('counts characters, not units', () => {
  assert.equal(alignRight(['😀\tx', 'ab\ty']), '  😀x\n aby\n');
});

it('accepts a line of tabs only', () => {
  assert.equal(alignRight(['\t'.repeat(200_000)]).length, 200_001);
});
