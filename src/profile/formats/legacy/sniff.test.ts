import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeText } from '../../../base/text.ts';
import { sniffLegacy } from './sniff.ts';

it('knows every title, also below comments', () => {
  for (const title of [
    'heap profile: 1: 2 [3: 4] @ heapz_v2/524288',
    'log: heap profile: 1: 2 [3: 4] @ growthz',
    '--- contentionz 1 ---',
    '--- mutex:',
    '--- heapz 1 ---',
    '--- threadz 1 ---',
    '--- Thread 7f (name: main/1) stack: ---',
    'goroutine profile: total 5',
    '# a comment\n\ngoroutine profile: total 5',
  ]) {
    assert.ok(sniffLegacy(encodeText(`${title}\n`)), title);
  }
  for (const words of [Uint32Array.of(0, 3, 0, 100, 0), BigUint64Array.of(0n, 3n, 1n, 100n, 0n)]) {
    assert.ok(sniffLegacy(new Uint8Array(words.buffer)));
  }
});

it('knows nothing else', () => {
  for (const text of ['', '\n\n', '# only a comment\n', 'a;b 1\n', 'goroutine 1 [running]:\n', 'x'.repeat(70_000)]) {
    assert.ok(!sniffLegacy(encodeText(text)), text.slice(0, 40));
  }
  assert.ok(!sniffLegacy(new Uint8Array(40)));
});
