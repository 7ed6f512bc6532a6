/** Compression for those who read and write these bytes: `node:zlib`, or something like it. */
import { FormatError } from '../../base/errors.ts';

export interface Zlib {
  deflateSync(bytes: Uint8Array, options?: { readonly level?: number }): Uint8Array;
  inflateSync(bytes: Uint8Array, options: { readonly maxOutputLength: number }): Uint8Array;
}

const MAX_INFLATED_BYTES = 256 * 1024 * 1024;

/** Its checksum detects damage. Throws a FormatError. */
export function inflate(zlib: Zlib, bytes: Uint8Array): Uint8Array {
  try {
    return zlib.inflateSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw new FormatError('it cannot be inflated', { cause: error });
  }
}

/** Undefined, after calling `onDamage`, if it is damaged. */
export function ifWhole<T>(read: () => T, onDamage: () => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    onDamage();
    return undefined;
  }
}
