/** Amounts in sentences: `41.7 MiB`, `16,000`, `34 min`. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytesText(bytes: number): string {
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const sign = bytes < 0 ? '-' : '';
  return `${sign}${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function countText(count: number): string {
  const rounded = Math.abs(count) >= 100 || Number.isInteger(count) ? Math.round(count).toString() : count.toFixed(1);
  return rounded.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** With its sign, since it is a change. */
export function changeText(change: number, text: (amount: number) => string): string {
  return change > 0 ? `+${text(change)}` : text(change);
}

export function spanText(hours: number): string {
  const minutes = hours * 60;
  if (minutes < 1.5) return `${Math.round(minutes * 60)} s`;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  return hours < 72 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} days`;
}
