import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listOf, optionalNumber, optionalText, parseJson, parseJsonBytes, recordOf, textOf } from './json.ts';
import { encodeText } from './text.ts';

it('parses objects and lists, and nothing else', () => {
  assert.deepEqual(parseJson(' {"a":1}'), { a: 1 });
  assert.deepEqual(parseJson('[1]'), [1]);
  for (const text of ['', '1', '"a"', 'null', 'true', '{', '{}{}', '\ufeff{}']) {
    assert.equal(parseJson(text), undefined, text);
  }
});

it('parses no more bytes than allowed', () => {
  assert.deepEqual(parseJsonBytes(encodeText('{"a":1}'), 7), { a: 1 });
  assert.equal(parseJsonBytes(encodeText('{"a":1} '), 7), undefined);
  assert.equal(parseJsonBytes(encodeText('['.repeat(1_000_000)), 1_000_000), undefined);
});

it('converts no value to another type', () => {
  for (const value of [undefined, null, 1, 'a', true]) assert.deepEqual(recordOf(value), {});
  assert.deepEqual(recordOf({ a: 1 }), { a: 1 });
  assert.deepEqual([listOf([1]), listOf({ length: 1 }), listOf('a')], [[1], [], []]);
  assert.deepEqual([textOf('a'), textOf(1), optionalText('a'), optionalText(null)], ['a', '', 'a', undefined]);
  assert.deepEqual([optionalNumber(0), optionalNumber('0')], [0, undefined]);
});
