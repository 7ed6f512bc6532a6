import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { FileContent } from './file-content.ts';

const of = (text: string): FileContent => new FileContent(encodeText(text));

it('knows JSON from a kernel log', () => {
  for (const text of ['{}', ' [ {"a":1}]', '\ufeff\n{"a":1}', '[[1]]', '["a"]', '[]']) {
    assert.ok(of(text).isJsonLike, text);
    assert.notEqual(of(text).json, undefined, text);
  }
  for (const text of ['[    0.000000] Linux version 6.1', '[12345.678901] a: b', 'a {}', '', '1']) {
    assert.ok(!of(text).isJsonLike, text);
    assert.equal(of(text).json, undefined, text);
  }
  assert.equal(of('{"a":').json, undefined, 'cut');
});

it('takes log prefixes off once, and only those', () => {
  const dump = 'goroutine 1 [running]:\nmain.main()\n\t/m.go:1 +0x1\n';
  const plain = of(dump);
  assert.equal(plain.unprefixed.bytes, plain.bytes, 'not copied');
  assert.equal(plain.unprefixed.style, undefined);
  const logged = of(dump.replace(/^/gm, 'Nov 01 12:00:00 w kubelet[1]: ').replace(/Nov[^\n]*: $/, ''));
  assert.deepEqual(logged.unprefixed.bytes, plain.bytes);
  assert.equal(logged.unprefixed.style, 'journald');
  assert.equal(logged.unprefixed, logged.unprefixed);
});

it('has a head of 64 KiB', () => {
  const file = new FileContent(new Uint8Array(100_000).fill(0x61));
  assert.deepEqual([file.head.length, file.start.length, file.isText], [65_536, 4096, true]);
});
