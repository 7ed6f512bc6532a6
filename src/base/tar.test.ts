import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeText } from './text.ts';
import { isTar, TAR_BLOCK_BYTES } from './sniff.ts';

/** A header of the oldest kind: a name and a checksum, nothing else. */
function header(name: string): Uint8Array {
  const bytes = new Uint8Array(TAR_BLOCK_BYTES);
  bytes.set(encodeText(name));
  const sum = bytes.reduce((a, b) => a + b, 8 * 0x20);
  bytes.set(encodeText(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
  return bytes;
}

it('knows a tar by the checksum of its first header', () => {
  assert.ok(isTar(header('heap.pb.gz')));
  assert.ok(!isTar(header('heap.pb.gz').subarray(1)), 'too short');
  const damaged = header('heap.pb.gz');
  damaged[0]++;
  assert.ok(!isTar(damaged));
  assert.ok(!isTar(new Uint8Array(TAR_BLOCK_BYTES)));
  assert.ok(!isTar(encodeText('goroutine 1 [running]:\n'.repeat(40))));
});
