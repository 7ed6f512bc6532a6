/** What a sampled allocation stands for: each size has a known chance, 1 - e^(-size/rate), to be sampled. */
import { truncateToInt64 } from '../../../base/int64.ts';
import { narrow, type Int } from './go-strings.ts';

/**
 * e^x to the last bit as Go computes it on amd64.
 *
 * Sampled heap values are scaled by 1 / (1 - e^(-size/rate)) and then cut to an integer, so one wrong last bit shows
 * as a wrong byte count. Go's amd64 code does not use the method of Math.exp: it takes a Taylor polynomial of r/16,
 * where x = k ln 2 + r, and squares the result four times, with fused multiply-adds throughout.
 */
const LN2_HIGH = 0.69314718055966295651160180568695068359375;

const LN2_LOW = 0.28235290563031577122588448175013436025525412068e-12;

const OVERFLOW = 709.782712893384;

/** 1/n! from n = 7 down to 1. */
const TERMS = [1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1];

const double = new Float64Array(1);

const words = new Uint32Array(double.buffer);

const LOW_WORD = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1;

export function scaleHeapSample(count: Int, size: Int, rate: Int): readonly [count: Int, size: Int] {
  if (count === 0 || size === 0) return [0, 0];
  // At rate 1 every allocation is in the profile; below, the rate is unknown.
  if (rate <= 1) return [count, size];
  const average = Number(size) / Number(count);
  const scale = 1 / (1 - goExp(-average / Number(rate)));
  return [toInt64(Number(count) * scale), toInt64(Number(size) * scale)];
}

function toInt64(value: number): Int {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
    const truncated = Math.trunc(value);
    return truncated === 0 ? 0 : truncated;
  }
  return narrow(truncateToInt64(value));
}

export function goExp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > OVERFLOW) return Infinity;
  if (x < -745.2) return 0;
  const k = roundHalfEven(x * Math.LOG2E);
  let r = fma(-LN2_HIGH, k, x);
  r = fma(-LN2_LOW, k, r) * 0.0625;
  let sum = 1 / 40320;
  for (const term of TERMS) sum = fma(r, sum, term);
  // e^r - 1, and (e^r - 1)(e^r + 1) = e^2r - 1.
  let minusOne = r * sum;
  for (let i = 0; i < 3; i++) minusOne = minusOne * (minusOne + 2);
  const fraction = fma(minusOne + 2, minusOne, 1);
  const biased = k + 1023;
  if (biased > 0) return biased >= 2047 ? Infinity : fraction * 2 ** k;
  if (biased < -52) return 0;
  return fraction * 2 ** (biased - 1) * 2 ** -1022;
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** a * b + c rounded once (Boldo and Melquiond: sum the exact parts, the smallest rounded to odd). */
function fma(a: number, b: number, c: number): number {
  const product = a * b;
  const productError = exactProductError(a, b, product);
  const low = productError + c;
  const lowError = sumError(c, productError, low);
  const high = product + low;
  const highError = sumError(product, low, high);
  return high + addToOdd(lowError, highError);
}

/** a + b - sum, exactly. */
function sumError(a: number, b: number, sum: number): number {
  const bPart = sum - a;
  return a - (sum - bPart) + (b - bPart);
}

/** a * b - product, exactly, by splitting both factors in two (Dekker). */
function exactProductError(a: number, b: number, product: number): number {
  const aBig = a * 134217729;
  const aHigh = aBig - (aBig - a);
  const aLow = a - aHigh;
  const bBig = b * 134217729;
  const bHigh = bBig - (bBig - b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

function addToOdd(a: number, b: number): number {
  const sum = a + b;
  const error = sumError(a, b, sum);
  if (error === 0) return sum;
  double[0] = sum;
  if ((words[LOW_WORD] & 1) === 1) return sum;
  // The last bit is 0: set it, away from zero if the error has the sign of the sum, else in the double below.
  if (error > 0 === sum > 0) {
    words[LOW_WORD] |= 1;
  } else {
    if (words[LOW_WORD] === 0) words[1 - LOW_WORD]--;
    words[LOW_WORD]--;
  }
  return double[0];
}
