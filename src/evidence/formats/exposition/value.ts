/** Numbers as the exposition formats write them: Go's floats, and times in seconds or milliseconds. */

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITY = /^[+-]?inf(?:inity)?$/i;

/** Undefined when it is no number; NaN is one. */
export function parseValue(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  if (INFINITY.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?nan$/i.test(text) ? NaN : undefined;
}

/** Beyond the year 5000 in seconds, or since 1973 in milliseconds. */
const MILLISECONDS_FROM = 1e11;

/** Unix seconds: Prometheus text has milliseconds, OpenMetrics seconds, and no file says which it is. */
export function parseTimestamp(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return Math.abs(value) >= MILLISECONDS_FROM ? value / 1000 : value;
}
