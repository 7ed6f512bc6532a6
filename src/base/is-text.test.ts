import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeText } from './text.ts';
import { isText } from './sniff.ts';

it('recognises binary data by its control characters', () => {
  for (const text of ['', 'a\tb\r\n', '\u001b[31mred\u001b[0m', 'ünïcödé \ufeff'])
    assert.ok(isText(encodeText(text)), text);
  assert.ok(isText(Uint8Array.of(0xff, 0xe9, 0x20)), 'Latin-1');
  for (const bytes of [[0], [0x0a, 0x04, 0x08, 0x01], [0x61, 0x08]]) assert.ok(!isText(Uint8Array.from(bytes)));
});
