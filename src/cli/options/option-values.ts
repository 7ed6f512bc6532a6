/** Durations, sizes, times and URLs as typed after an option. Each parser returns undefined for other texts. */

import { Failure } from '../../base/errors.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Seconds of `6h`, `90s`, `1d12h`. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?[smhdw])+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, count, unit] of text.matchAll(/([\d.]+)([smhdw])/g))
    seconds += Number(count) * (SECONDS[unit ?? ''] ?? 0);
  return seconds > 0 ? seconds : undefined;
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
const DECIMAL = ['', 'k', 'M', 'G', 'T'];

/** Bytes of `536870912`, `512Mi`, `2G`, as Kubernetes writes them. */
export function parseByteSize(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)?B?$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const scale = unit.endsWith('i') ? 1024 ** BINARY.indexOf(unit) : 1000 ** DECIMAL.indexOf(unit);
  const bytes = Number(count) * scale;
  return bytes > 0 ? bytes : undefined;
}

const RFC_3339 = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

/** Unix seconds of `2026-08-04T06:00Z` (UTC by default), or of a number of Unix seconds. */
export function parseTime(text: string): number | undefined {
  if (/^\d{9,10}(?:\.\d+)?$/.test(text)) return Number(text);
  if (!RFC_3339.test(text)) return undefined;
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/i.test(text) || text.length === 10 ? text : `${text}Z`;
  const millis = Date.parse(zoned.replace(' ', 'T').toUpperCase());
  return Number.isNaN(millis) ? undefined : millis / 1000;
}

/** An http or https URL, as typed. Throws a usage failure if it has a password. */
export function parseHttpUrl(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  if (username === '' && password === '') return text;
  throw new Failure('usage', 'a password in a URL ends up in files and process lists; give it in a file');
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function isNamespace(text: string): boolean {
  return NAMESPACE.test(text);
}

export function isReplicaId(text: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/.test(text);
}
