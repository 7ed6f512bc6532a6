/**
 * What the owners of a cluster say about acting on it, as annotations of the namespace kube-system, so that every plan
 * sees them whatever its options:
 *
 *     oakum.dev/pause: change freeze until Monday
 *     oakum.dev/windows: Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun 00:00-24:00
 *     oakum.dev/approval: oakum          a second person approves, in this namespace
 *
 * A window that cannot be read is closed.
 */
import { timeText } from '../../base/say.ts';

const PAUSE_ANNOTATION = 'oakum.dev/pause';
const WINDOWS_ANNOTATION = 'oakum.dev/windows';
export const APPROVAL_ANNOTATION = 'oakum.dev/approval';

type Annotations = Readonly<Record<string, string>>;

/** Why nothing may be begun now; undefined if it may. */
export function whyNotNow(annotations: Annotations, atSeconds: number): string | undefined {
  const pause = annotations[PAUSE_ANNOTATION] ?? '';
  if (pause !== '') return `acting is paused on this cluster (annotation ${PAUSE_ANNOTATION} of kube-system): ${pause}`;
  const windows = annotations[WINDOWS_ANNOTATION] ?? '';
  if (windows.trim() === '') return undefined;
  for (const text of windows.split(';')) {
    const isIn = isInWindow(text.trim(), atSeconds);
    if (isIn === undefined)
      return `the maintenance window "${text.trim()}" (annotation ${WINDOWS_ANNOTATION} of kube-system) cannot be read; write it as Mon-Fri 22:00-05:00 Europe/Berlin`;
    if (isIn) return undefined;
  }
  return `it is ${timeText(atSeconds)}, outside of the maintenance windows of this cluster: ${windows}`;
}

/** The namespace of approvals; undefined if none is needed. Not the plan says which: who writes it could choose. */
export function approvalNamespace(annotations: Annotations): string | undefined {
  const namespace = annotations[APPROVAL_ANNOTATION] ?? '';
  return namespace === '' ? undefined : namespace;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const WINDOW = /^(?:([A-Za-z,-]+) +)?(\d\d):(\d\d)-(\d\d):(\d\d)(?: +([A-Za-z_/+-]+))?$/;
const DAY_MINUTES = 1440;

/** Undefined if it cannot be read. A window past midnight belongs to the day on which it opens. */
function isInWindow(text: string, atSeconds: number): boolean | undefined {
  const [, days = 'Sun-Sat', fromHour, fromMinute, toHour, toMinute, zone = 'UTC'] = WINDOW.exec(text) ?? [];
  const open = daysOf(days);
  const [from, to] = [minutesOf(fromHour, fromMinute), minutesOf(toHour, toMinute)];
  const now = localTime(atSeconds, zone);
  if (open === undefined || from === undefined || to === undefined || now === undefined) return undefined;
  const { day, minute } = now;
  if (from < to) return open.has(day) && minute >= from && minute < to;
  return (open.has(day) && minute >= from) || (open.has((day + 6) % 7) && minute < to);
}

function minutesOf(hour: string | undefined, minute: string | undefined): number | undefined {
  const all = Number(hour ?? NaN) * 60 + Number(minute ?? NaN);
  return all <= DAY_MINUTES && Number(minute) < 60 ? all : undefined;
}

/** `Mon-Fri`, `Sat,Sun`, `Fri-Mon`. */
function daysOf(text: string): ReadonlySet<number> | undefined {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const [first = '', last = first, ...more] = part.split('-');
    const [from, to] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    if (from < 0 || to < 0 || more.length > 0) return undefined;
    for (let day = from; ; day = (day + 1) % 7) {
      found.add(day);
      if (day === to) break;
    }
  }
  return found;
}

function localTime(atSeconds: number, zone: string): { readonly day: number; readonly minute: number } | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    const parts = new Map(format.formatToParts(atSeconds * 1000).map(({ type, value }) => [type, value]));
    const day = DAYS.indexOf(parts.get('weekday') ?? '');
    return { day, minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')) };
  } catch {
    return undefined;
  }
}
