/**
 * Numbers as every report prints them, with three significant digits:
 *
 *     memory    412 MiB, 1.46 GiB, 486 B     binary, as in the sentences of an analysis; so are rates: 39.9 MiB/h
 *     counts    44,310
 *     ages      3d4h, 12m, 45s
 */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return String(bytes);
  let scale = 0;
  let size = Math.abs(bytes);
  while (size >= 1024 && scale < UNITS.length - 1) {
    size /= 1024;
    scale++;
  }
  // 1023.6 KiB would round to four digits, so it is printed in the next unit.
  if (scale < UNITS.length - 1 && Math.round(size) >= 1024) {
    size /= 1024;
    scale++;
  }
  const text = scale === 0 ? trimmed(size) : threeDigits(size);
  const sign = bytes < 0 && Number(text) !== 0 ? '-' : '';
  return `${sign}${text} ${UNITS[scale]}`;
}

export function formatCount(count: number): string {
  if (!Number.isFinite(count)) return String(count);
  const [whole, fraction] = trimmed(count).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** With a plus sign if it is positive. */
export function signed(text: string): string {
  return /^(?:-|0(?: |$))/.test(text) ? text : `+${text}`;
}

export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '<1%';
  return `${percent > 99 && percent < 100 ? '>99' : Math.round(percent)}%`;
}

/** The two largest units, as kubectl shows ages. */
export function formatAge(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  const units: readonly (readonly [number, string])[] = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'm'],
    [1, 's'],
  ];
  const first = units.findIndex(([size]) => total >= size);
  if (first < 0) return '0s';
  const [size, unit] = units[first];
  const whole = Math.floor(total / size);
  const next = units[first + 1];
  // From ten on, the second unit adds nothing.
  const rest = next === undefined || whole >= 10 ? 0 : Math.floor((total - whole * size) / next[0]);
  return `${whole}${unit}${rest === 0 ? '' : `${rest}${next[1]}`}`;
}

function trimmed(value: number): string {
  return Number.isInteger(value) ? String(value) : threeDigits(value);
}

function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toString();
  const text = value.toFixed(size >= 10 ? 1 : 2);
  const trimmedText = text.replace(/\.?0+$/, '');
  return trimmedText === '-0' ? '0' : trimmedText;
}

/** `99.3 %`, `62 %`. Never 0 or 100: evidence is not certainty. */
export function formatCertainty(probability: number): string {
  const percent = Math.min(99.9, Math.max(0.1, probability * 100));
  return `${percent < 10 || percent > 90 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}
