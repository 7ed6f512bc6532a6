/** Instants and durations as Go prints them with %v. */

/** `2021-01-14 15:46:23.123 +0000 UTC`, in the zone of this process. */
export function goTimeText(timeNanos: bigint): string {
  const { date, nanos } = split(timeNanos);
  const fraction = nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${dayAndClock(date)}${fraction} ${offsetText(date, '')} ${zoneAbbreviation(date)}`;
}

/** `2021-01-14 15:46:23 UTC`, in the zone of this process. */
export function goClockText(timeNanos: bigint): string {
  const { date } = split(timeNanos);
  return `${dayAndClock(date)} ${zoneAbbreviation(date)}`;
}

function split(timeNanos: bigint): { date: Date; nanos: bigint } {
  const nanos = ((timeNanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return { date: new Date(Number((timeNanos - nanos) / 1_000_000n)), nanos };
}

function dayAndClock(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function offsetText(date: Date, style: 'short' | ''): string {
  const minutes = -date.getTimezoneOffset();
  const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
  const rest = String(Math.abs(minutes) % 60).padStart(2, '0');
  return (minutes < 0 ? '-' : '+') + hours + (style === 'short' && rest === '00' ? '' : rest);
}

/** ICU abbreviates a zone only in the English spoken there: PST in the US, CET in Britain, AEST in Australia. */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-ZA', 'en-NZ', 'en-KE'];

/** Abbreviations of the time zone database that ICU lacks in every English locale. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  'Asia/Tokyo': 'JST',
  'Asia/Seoul': 'KST',
  'Asia/Shanghai': 'CST',
  'Asia/Taipei': 'CST',
  'Asia/Macau': 'CST',
  'Asia/Hong_Kong': 'HKT',
  'Asia/Manila': 'PST',
  'Asia/Karachi': 'PKT',
  'Asia/Jakarta': 'WIB',
  'Asia/Makassar': 'WITA',
  'Asia/Jayapura': 'WIT',
  'Asia/Calcutta': 'IST',
  'Asia/Kolkata': 'IST',
  'Europe/Moscow': 'MSK',
  'Europe/Simferopol': 'MSK',
  'Africa/Nairobi': 'EAT',
  'Africa/Lagos': 'WAT',
  'Africa/Maputo': 'CAT',
  'Africa/Harare': 'CAT',
  'Africa/Johannesburg': 'SAST',
  'Asia/Dubai': '+04',
  'Asia/Jerusalem': 'IST/IDT',
  'Pacific/Guam': 'ChST',
  'Pacific/Pago_Pago': 'SST',
};

function zoneAbbreviation(date: Date): string {
  // Asking Intl costs 15 ms the first time; servers keep UTC.
  if (date.toString().endsWith('(Coordinated Universal Time)')) return 'UTC';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone === 'UTC' || zone === 'Etc/UTC') return 'UTC';
  if (zone === 'GMT' || zone === 'Etc/GMT') return 'GMT';
  const known = ABBREVIATIONS[zone];
  if (known !== undefined) {
    const [standard, summer] = known.split('/');
    return summer !== undefined && isSummerTime(date) ? summer : standard;
  }
  for (const locale of LOCALES) {
    const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' }).formatToParts(date);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    if (/^[A-Z]{3,5}$/.test(name) && (name !== 'GMT' || date.getTimezoneOffset() === 0)) return name;
  }
  // Zones without an abbreviation show their offset: -03.
  return offsetText(date, 'short');
}

function isSummerTime(date: Date): boolean {
  const year = date.getFullYear();
  const winter = Math.max(new Date(year, 0, 1).getTimezoneOffset(), new Date(year, 6, 1).getTimezoneOffset());
  return date.getTimezoneOffset() < winter;
}

/** `1h2m3.5s`, `1.5ms`, `20µs`, `7ns`. */
export function goDurationText(durationNanos: bigint): string {
  if (durationNanos === 0n) return '0s';
  const sign = durationNanos < 0n ? '-' : '';
  const nanos = durationNanos < 0n ? -durationNanos : durationNanos;
  if (nanos < 1_000n) return `${sign}${nanos}ns`;
  if (nanos < 1_000_000n) return `${sign}${decimal(nanos, 3)}µs`;
  if (nanos < 1_000_000_000n) return `${sign}${decimal(nanos, 6)}ms`;
  const seconds = nanos / 1_000_000_000n;
  const hours = seconds / 3600n;
  const minutes = (seconds / 60n) % 60n;
  const rest = decimal(nanos % 60_000_000_000n, 9);
  if (hours > 0n) return `${sign}${hours}h${minutes}m${rest}s`;
  return minutes > 0n ? `${sign}${minutes}m${rest}s` : `${sign}${rest}s`;
}

/** value / 10^places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const fraction = String(value % unit)
    .padStart(places, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
