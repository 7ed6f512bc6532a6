/**
 * Samples as Prometheus writes nearly all of them: a time and a number in quotes, without spaces, signs and exponents.
 *
 *     [1794772040,"294"],[1794775640.25,"15.5"],[1794779240,"NaN"]
 *     ^ start                                  ^ end: the next sample has another form, which takes the slower way
 */
import type { SeriesColumns } from './series-columns.ts';

const ZERO = 0x30;
const DOT = 0x2e;
const COMMA = 0x2c;
const QUOTE = 0x22;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** Returns the end of the last sample that was read; `start` if the first one has another form. */
export function readPlainSamples(bytes: Uint8Array, start: number, columns: SeriesColumns): number {
  let end = start;
  let at = start;
  for (;;) {
    if (bytes[at] !== OPEN) return end;
    number.at = at + 1;
    if (!readNumber(bytes)) return end;
    const time = number.value;
    if (bytes[number.at] !== COMMA || bytes[number.at + 1] !== QUOTE) return end;
    number.at += 2;
    if (!readNumber(bytes)) return end;
    if (bytes[number.at] !== QUOTE || bytes[number.at + 1] !== CLOSE) return end;
    columns.push(time, number.value);
    end = number.at + 2;
    if (bytes[end] !== COMMA) return end;
    at = end + 1;
  }
}

/** What `readNumber` read, and where it ended. */
const number = { at: 0, value: 0 };

/** Powers of ten that are exact as floating-point numbers. */
const TENS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Whether there is a number of digits, with or without a fraction, that can be read exactly. */
function readNumber(bytes: Uint8Array): boolean {
  let { at } = number;
  const first = at;
  let digits = 0;
  let digit = (bytes[at] ?? 0) - ZERO;
  for (; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO) digits = digits * 10 + digit;
  if (at === first) return false;
  let scale = 0;
  if (bytes[at] === DOT) {
    const dot = at++;
    digit = (bytes[at] ?? 0) - ZERO;
    for (; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO) digits = digits * 10 + digit;
    scale = at - dot - 1;
  }
  // Both are exact up to here, so their quotient is the nearest number.
  if (digits >= 2 ** 53 || scale > 22) return false;
  number.at = at;
  number.value = scale === 0 ? digits : digits / (TENS[scale] ?? NaN);
  return true;
}
