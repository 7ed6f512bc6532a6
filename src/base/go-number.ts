/**
 * Numbers as Go's fmt prints them.
 *
 * toFixed and toPrecision round exact ties up; Go rounds them to even. Ties are common here, since memory units are
 * powers of two: 0.125 MB is 0.12 in Go and 0.13 in JavaScript.
 */

/** 1/8, 3/8, 5/8 and 7/8 at two decimals. */
const TIES = ['12', '38', '62', '88'];

/** Go's %.2f. */
export function formatFixed2(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const magnitude = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (magnitude >= 1e21) return `${sign}${BigInt(magnitude)}.00`;
  // A double is an exact tie at two decimals only when it is an odd multiple of 1/8.
  const eighths = magnitude * 8;
  if (eighths % 2 === 1) return `${sign}${Math.floor(magnitude)}.${TIES[((eighths % 8) - 1) / 2]}`;
  return sign + magnitude.toFixed(2);
}

/** Go's %.2g. */
export function formatGeneral2(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits, exponentText] = roundToTwoDigits(Math.abs(value));
  const exponent = Number(exponentText);
  const sign = value < 0 ? '-' : '';
  const trimmed = digits.replace(/0$/, '');
  if (exponent < -4 || exponent >= 2) {
    const mantissa = trimmed.length === 1 ? trimmed : `${trimmed[0]}.${trimmed[1]}`;
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${trimmed}`;
  if (exponent === 0) return trimmed.length === 1 ? sign + trimmed : `${sign}${trimmed[0]}.${trimmed[1]}`;
  return sign + digits;
}

/** Two significant digits, ties to even, and the decimal exponent of the first. */
function roundToTwoDigits(value: number): [digits: string, exponent: string] {
  // 60 digits distinguish an exact tie from a near one: no double is closer to a tie without being one.
  const [mantissa, exponent] = value.toExponential(60).split('e');
  const all = mantissa.replace('.', '');
  if (/^..50*$/.test(all)) {
    const two = Number(all.slice(0, 2));
    const even = two % 2 === 0 ? two : two + 1;
    return even === 100 ? ['10', String(Number(exponent) + 1)] : [String(even), exponent];
  }
  const [rounded, roundedExponent] = value.toExponential(1).split('e');
  return [rounded.replace('.', ''), roundedExponent];
}
