/** Integers as Go's strconv parses them. A plain number where that is exact, a bigint where it is not. */

export type Int = number | bigint;

const MAX_INT64 = 9223372036854775807n;

/** The digits of bytes[start, end), perhaps after a `-`, as an int64; undefined when out of range. */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): Int | undefined {
  const negative = bytes[start] === 0x2d;
  let i = negative ? start + 1 : start;
  while (i < end && bytes[i] === 0x30) i++;
  if (end - i > 19) return undefined;
  if (end - i <= 15) {
    let value = 0;
    for (; i < end; i++) value = value * 10 + (bytes[i] - 0x30);
    return negative && value !== 0 ? -value : value;
  }
  let wide = 0n;
  for (; i < end; i++) wide = wide * 10n + BigInt(bytes[i] - 0x30);
  if (wide > (negative ? MAX_INT64 + 1n : MAX_INT64)) return undefined;
  return narrow(negative ? -wide : wide);
}

export function narrow(value: bigint): Int {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

/** Go's product, which wraps around at 64 bits. */
export function wrappingProduct(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product === 0 ? 0 : product;
  }
  return narrow(BigInt.asIntN(64, BigInt(a) * BigInt(b)));
}

/** Go's quotient, which truncates toward zero and wraps around. */
export function quotient(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = (a - (a % b)) / b;
    return result === 0 ? 0 : result;
  }
  return narrow(BigInt.asIntN(64, BigInt(a) / BigInt(b)));
}

export type ParsedInt = { readonly value: bigint } | { readonly error: string };

/** `strconv.ParseInt(text, 0, 64)`: sign, 0x 0o 0b or 0 prefix, and underscores between digits. */
export function parseAnyBase(text: string): ParsedInt {
  const fail = (reason: string): ParsedInt => ({ error: `strconv.ParseInt: parsing ${quote(text)}: ${reason}` });
  const match =
    /^([+-]?)(?:0[xX](_?[0-9a-fA-F][0-9a-fA-F_]*)|0[oO](_?[0-7][0-7_]*)|0[bB](_?[01][01_]*)|(\d[\d_]*))$/.exec(text);
  if (match === null) return fail('invalid syntax');
  const [, sign, hex, octal, binary, plain] = match;
  const isOldOctal = plain !== undefined && plain.length > 1 && plain.startsWith('0');
  const body = hex ?? octal ?? binary ?? plain;
  if (body.includes('__') || body.endsWith('_')) return fail('invalid syntax');
  const digits = body.replaceAll('_', '');
  if (isOldOctal && !/^[0-7]+$/.test(digits)) return fail('invalid syntax');
  const radix = hex !== undefined ? '0x' : octal !== undefined || isOldOctal ? '0o' : binary !== undefined ? '0b' : '';
  const significant = digits.replace(/^0+/, '') || '0';
  // Anything longer is out of range in every base, and BigInt of a long text is slow.
  if (significant.length > 64) return fail('value out of range');
  const magnitude = BigInt(radix + significant);
  if (magnitude > (sign === '-' ? MAX_INT64 + 1n : MAX_INT64)) return fail('value out of range');
  return { value: sign === '-' ? -magnitude : magnitude };
}

/** The text of the error for a run of digits that does not fit an int64. */
export function outOfRange(digits: string): string {
  return `strconv.ParseInt: parsing "${digits}": value out of range`;
}

/** Go's %q, as far as the callers need it: attribute values are words, digits and blanks. */
function quote(text: string): string {
  return JSON.stringify(text);
}
