/**
 * The time before a log line, which may lack the year or the zone, or count from boot.
 *
 *     2026-11-15T07:12:25.123456+0100   1794726745.123456   Sun 2026-11-15 07:12:25 UTC     an instant
 *     [Sun Nov 15 07:12:25 2026]        2026-11-15T07:12:25                                 local
 *     Nov 15 07:12:25                   I1115 07:12:25.123456 (klog)                        local, without year
 *     [12345.678901]                                                                        since boot
 */

export type LogStamp =
  | { readonly kind: 'instant'; readonly seconds: number }
  /** Seconds as if it were UTC. */
  | { readonly kind: 'local'; readonly seconds: number }
  | { readonly kind: 'yearless'; readonly month: number; readonly day: number; readonly secondsOfDay: number }
  | { readonly kind: 'since-boot'; readonly seconds: number }
  | { readonly kind: 'none' };

export const NO_STAMP: LogStamp = { kind: 'none' };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const CLOCK = String.raw`(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?`;
const ISO = new RegExp(String.raw`^(\d{4})[-/](\d\d)[-/](\d\d)[T ]${CLOCK}(Z| UTC|[+-]\d\d:?\d\d)?$`);
const FULL = new RegExp(String.raw`^[A-Z][a-z]{2} (\d{4}-\d\d-\d\d ${CLOCK}) (\w+)$`);
const SHORT = new RegExp(String.raw`^([A-Z][a-z]{2}) {1,2}(\d{1,2}) ${CLOCK}$`);
const CTIME = new RegExp(String.raw`^[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) ${CLOCK} (\d{4})$`);
const KLOG = new RegExp(String.raw`^[IWEF](\d\d)(\d\d) ${CLOCK}`);

export function parseStamp(text: string): LogStamp {
  const iso = ISO.exec(text);
  if (iso !== null) {
    const seconds = utcSeconds(Number(iso[1]), Number(iso[2]), Number(iso[3]), clockSeconds(iso, 4));
    return seconds === undefined ? NO_STAMP : zoned(seconds, iso[8]?.trim());
  }
  const full = FULL.exec(text);
  if (full !== null) return parseStamp(full[6] === 'UTC' || full[6] === 'GMT' ? `${full[1]} UTC` : full[1]);
  const short = SHORT.exec(text);
  if (short !== null) return yearless(MONTHS.indexOf(short[1]) + 1, Number(short[2]), clockSeconds(short, 3));
  const klog = KLOG.exec(text);
  if (klog !== null) return yearless(Number(klog[1]), Number(klog[2]), clockSeconds(klog, 3));
  const ctime = CTIME.exec(text);
  if (ctime !== null) {
    const month = MONTHS.indexOf(ctime[1]) + 1;
    const seconds = utcSeconds(Number(ctime[7]), month, Number(ctime[2]), clockSeconds(ctime, 3));
    return seconds === undefined ? NO_STAMP : { kind: 'local', seconds };
  }
  if (/^\d{9,11}\.\d{3,9}$/.test(text)) return { kind: 'instant', seconds: Number(text) };
  if (/^ *\d{1,10}\.\d{3,9}$/.test(text)) return { kind: 'since-boot', seconds: Number(text) };
  return NO_STAMP;
}

function clockSeconds(match: RegExpExecArray, at: number): number {
  const [hours, minutes, seconds, fraction = ''] = match.slice(at, at + 4);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction || 0}`);
}

function zoned(seconds: number, zone: string | undefined): LogStamp {
  if (zone === undefined) return { kind: 'local', seconds };
  const offset = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (offset === null) return { kind: 'instant', seconds };
  const ahead = (Number(offset[2]) * 60 + Number(offset[3])) * 60;
  return { kind: 'instant', seconds: offset[1] === '+' ? seconds - ahead : seconds + ahead };
}

function yearless(month: number, day: number, secondsOfDay: number): LogStamp {
  // A leap year, so that every day of a year is one.
  return utcSeconds(2000, month, day, secondsOfDay) === undefined
    ? NO_STAMP
    : { kind: 'yearless', month, day, secondsOfDay };
}

/** Undefined when there is no such day or time. */
function utcSeconds(year: number, month: number, day: number, secondsOfDay: number): number | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || secondsOfDay > 86_401) return undefined;
  return date.getTime() / 1000 + secondsOfDay;
}

/** How far apart two lines of one log are; 0 when their stamps cannot be compared. */
export function secondsBetween(a: LogStamp, b: LogStamp): number {
  if (a.kind === 'none' || b.kind === 'none' || a.kind !== b.kind) return 0;
  if (a.kind !== 'yearless' || b.kind !== 'yearless')
    return 'seconds' in a && 'seconds' in b ? Math.abs(b.seconds - a.seconds) : 0;
  const secondsOfYear = ({ month, day, secondsOfDay }: typeof a): number =>
    (month * 31 + day) * DAY_SECONDS + secondsOfDay;
  return Math.abs(secondsOfYear(b) - secondsOfYear(a));
}

export interface StampContext {
  /** A time not long after the last line: it gives the year. */
  readonly referenceSeconds: number | undefined;
  /** When the kernel began. */
  readonly bootSeconds: number | undefined;
  /** How far local time is ahead of UTC. */
  readonly utcOffsetSeconds: number;
}

const DAY_SECONDS = 86_400;

/** Unix seconds, or undefined when the context lacks what the stamp needs. */
export function resolveStamp(stamp: LogStamp, context: StampContext): number | undefined {
  const { referenceSeconds, bootSeconds, utcOffsetSeconds } = context;
  switch (stamp.kind) {
    case 'instant':
      return stamp.seconds;
    case 'local':
      return stamp.seconds - utcOffsetSeconds;
    case 'since-boot':
      return bootSeconds === undefined ? undefined : bootSeconds + stamp.seconds;
    case 'yearless': {
      if (referenceSeconds === undefined) return undefined;
      // The last year in which this day has come, allowing a day for clocks and zones.
      const latest = referenceSeconds + DAY_SECONDS;
      for (let year = new Date(latest * 1000).getUTCFullYear(), tries = 0; tries < 9; year--, tries++) {
        const seconds = utcSeconds(year, stamp.month, stamp.day, stamp.secondsOfDay);
        if (seconds !== undefined && seconds - utcOffsetSeconds <= latest) return seconds - utcOffsetSeconds;
      }
      return undefined;
    }
    case 'none':
      return undefined;
  }
}
