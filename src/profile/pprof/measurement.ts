/**
 * Scales a value to a unit, and prints it. All reports use the same units.
 *
 * Memory is 1024-based with the spellings B, kB, MB ...; time goes ns, us, ms, s, hrs; anything else is unscaled.
 */

interface Unit {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly factor: number;
}

interface UnitFamily {
  readonly units: readonly Unit[];
  readonly fallback: { readonly name: string; readonly factor: number };
}

function unit(name: string, factor: number, ...aliases: string[]): Unit {
  return { name, aliases, factor };
}

const FAMILIES: readonly UnitFamily[] = [
  {
    units: [
      unit('B', 1, 'b', 'byte'),
      unit('kB', 2 ** 10, 'kb', 'kbyte', 'kilobyte'),
      unit('MB', 2 ** 20, 'mb', 'mbyte', 'megabyte'),
      unit('GB', 2 ** 30, 'gb', 'gbyte', 'gigabyte'),
      unit('TB', 2 ** 40, 'tb', 'tbyte', 'terabyte'),
      unit('PB', 2 ** 50, 'pb', 'pbyte', 'petabyte'),
    ],
    fallback: { name: 'B', factor: 1 },
  },
  {
    units: [
      unit('ns', 1, 'ns', 'nanosecond'),
      unit('us', 1e3, 'μs', 'us', 'microsecond'),
      unit('ms', 1e6, 'ms', 'millisecond'),
      unit('s', 1e9, 's', 'sec', 'second'),
      unit('hrs', 3600e9, 'hour', 'hr'),
    ],
    fallback: { name: 's', factor: 1e9 },
  },
  {
    units: [
      unit('n*GCU', 1e-9, 'nanogcu'),
      unit('u*GCU', 1e-6, 'microgcu'),
      unit('m*GCU', 1e-3, 'milligcu'),
      unit('GCU', 1, 'gcu'),
      unit('k*GCU', 1e3, 'kilogcu'),
      unit('M*GCU', 1e6, 'megagcu'),
      unit('G*GCU', 1e9, 'gigagcu'),
      unit('T*GCU', 1e12, 'teragcu'),
      unit('P*GCU', 1e15, 'petagcu'),
    ],
    fallback: { name: 'GCU', factor: 1 },
  },
];

const sniffed = new Map<string, readonly (Unit | undefined)[]>();

/** The unit of this name in each family. */
function sniff(name: string): readonly (Unit | undefined)[] {
  let found = sniffed.get(name);
  if (found === undefined) {
    let alias = name.toLowerCase();
    // 'seconds' is 'second', but 'us' and 'ms' are themselves. Length is in bytes, as in 'μs'.
    if (new TextEncoder().encode(alias).length > 2 && alias.endsWith('s')) alias = alias.slice(0, -1);
    found = FAMILIES.map(family => family.units.find(candidate => candidate.aliases.includes(alias)));
    if (sniffed.size < 1000) sniffed.set(name, found);
  }
  return found;
}

interface Scaled {
  readonly value: number;
  readonly unit: string;
}

/** Converts `value`; `to` may be 'minimum' or 'auto' for the largest unit that keeps the value at 1 or more. */
export function scale(value: number | bigint, from: string, to: string): Scaled {
  // The most negative int64 has no positive counterpart and is scaled as it is.
  if (value < 0 && value !== -9223372036854775808n) {
    const positive = scale(-value, from, to);
    return { value: -positive.value, unit: positive.unit };
  }
  const exact = Number(value);
  const fromUnits = sniff(from);
  for (let f = 0; f < FAMILIES.length; f++) {
    const fromUnit = fromUnits[f];
    if (fromUnit === undefined) continue;
    const family = FAMILIES[f];
    const base = exact * fromUnit.factor;
    const target = to === 'minimum' || to === 'auto' ? largestUnit(family, base) : sniff(to)[f];
    const { name, factor } = target ?? family.fallback;
    return { value: base / factor, unit: name };
  }
  const silent = to === 'count' || to === 'sample' || to === 'unit' || to === 'minimum' || to === 'auto';
  return { value: exact, unit: silent ? '' : to };
}

function largestUnit(family: UnitFamily, base: number): Unit | undefined {
  let best: Unit | undefined;
  for (const candidate of family.units) {
    if (candidate.factor >= (best?.factor ?? 0) && base / candidate.factor >= 1) best = candidate;
  }
  return best;
}

/** `value` in the unit `to`, as text: at most two decimals, `0` without a unit. */
export function scaledLabel(value: number | bigint, from: string, to: string): string {
  const scaled = scale(value, from, to);
  const fixed = formatFixed2(scaled.value);
  const text = fixed.endsWith('.00') ? fixed.slice(0, -3) : fixed;
  return text === '0' || text === '-0' ? '0' : text + scaled.unit;
}

export function label(value: number | bigint, unitName: string): string {
  return scaledLabel(value, unitName, 'auto');
}

/** `value` as a percentage of `total`, at least five characters and a percent sign. */
export function percentage(value: number | bigint, total: number | bigint): string {
  const ratio = Number(total) === 0 ? 0 : Math.abs(Number(value) / Number(total)) * 100;
  if (ratio >= 99.95 && ratio <= 100.05) return '  100%';
  return `${(ratio >= 1 ? formatFixed2(ratio) : formatGeneral2(ratio)).padStart(5)}%`;
}

export function sameUnitFamily(a: string, b: string): boolean {
  const ofA = sniff(a);
  const ofB = sniff(b);
  return FAMILIES.some((_, f) => ofA[f] !== undefined && ofB[f] !== undefined);
}

/** 1/8, 3/8, 5/8 and 7/8 at two decimals. */
const TIES = ['12', '38', '62', '88'];

/**
 * Numbers as Go's fmt prints them.
 *
 * toFixed and toPrecision round exact ties up; Go rounds them to even. Ties are common here, since memory units are
 * powers of two: 0.125 MB is 0.12 in Go and 0.13 in JavaScript.
 *
 * Go's %.2f.
 */
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
