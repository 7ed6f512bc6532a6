import { open } from 'node:fs/promises';
import { Failure } from '../../base/errors.ts';

/** A whole file of at most `maxBytes`, even if its size is unknown, as for a pipe or a device. */
export async function readBoundedFile(path: string, maxBytes: number, shown: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    let bytes = Buffer.allocUnsafe(Math.min(size, maxBytes) + 1);
    let length = 0;
    for (;;) {
      if (length > maxBytes) throw new Failure('too-large', `${shown}: larger than ${maxBytes} bytes`);
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length + 4096, maxBytes + 1));
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
  } finally {
    await file.close();
  }
}

export async function readBoundedText(path: string, maxBytes: number, shown: string): Promise<string> {
  return new TextDecoder().decode(await readBoundedFile(path, maxBytes, shown));
}
