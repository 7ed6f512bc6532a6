/**
 * The result of `oakum detect` as text: a table like kubectl's, worst first, with the reason under each row. `wide` has
 * a row for each resource and all its reasons.
 */
import { table, wrap } from '../base/text-layout.ts';
import type {
  DetectedTarget,
  Detection,
  ResourceDetection,
  VerdictChange,
} from '../judge/detect/recorded-detection.ts';
import { type Verdict, mayLeak } from '../judge/verdict.ts';
import { cohortLines } from './cohort-lines.ts';
import { MIN_WIDTH, PLAIN, type Style, named } from './layout.ts';
import { visible } from '../base/visible-text.ts';
import { toMinute, formatAmount, formatCount, formatHours, formatRate, signed } from '../base/say.ts';
import { elementAt } from '../base/errors.ts';
import { limitArithmetic } from './phrases.ts';

/**
 * A series as one line of characters: the higher the value, the higher the character.
 *
 *     ▁▁▂▃▄▅▆▇█        or, in ASCII:        ..:-=+*#@
 */
const BLOCKS = '▁▂▃▄▅▆▇█';

const ASCII = '.:-=+*#@';

/** A series that varies by less than this share of its highest value is drawn flat. */
const MIN_RANGE = 0.1;

interface DetectTextOptions {
  readonly style?: Style;
  /** Columns for wrapped text; 100 by default. The table may be wider. */
  readonly width?: number;
  readonly wide?: boolean;
  /** Whether to use ASCII characters only. */
  readonly ascii?: boolean;
  /** Only targets with this verdict or a worse one. */
  readonly only?: 'leak' | 'watch' | undefined;
}

/** More healthy or unknown targets than this share one line. */
const MANY = 5;
const NAMED = 8;
const SPARK_WIDTH = 24;
const HEADERS = ['VERDICT', 'TARGET', 'RESOURCE', 'LEVEL', 'SLOPE', 'SINCE', 'LIMIT-IN', 'HISTORY'];

export function renderDetection(detection: Detection, options: DetectTextOptions = {}): string {
  const { style = PLAIN, wide = false } = options;
  const width = Math.max(MIN_WIDTH, options.width ?? 100);
  const shown = detection.targets.filter(target => isShown(target, detection, options));
  const hidden = detection.targets.filter(target => !shown.includes(target));
  const rows = shown.flatMap(target => rowsOf(target, wide));
  const sections = [[style.strong(headline(detection.targets))]];
  if (rows.length > 0) sections.push(rowLines(rows, detection, { ...options, style, width }));
  if (detection.cohorts.length > 0) sections.push(cohortLines(detection.cohorts, width, style));
  const summaries = (['watch', 'unknown', 'healthy'] as const).flatMap(verdict => summary(verdict, hidden, width));
  if (summaries.length > 0) sections.push(summaries);
  sections.push(detectInputLines(detection, wide, width));
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

/** `2 of 8 targets leak: leak-a (live heap), leak-b (live heap)` */
function headline(targets: readonly DetectedTarget[]): string {
  const leaking = targets.filter(({ verdict }) => verdict === 'leak');
  const count = (verdict: Verdict): number => targets.filter(target => target.verdict === verdict).length;
  const all = `${targets.length} ${targets.length === 1 ? 'target' : 'targets'}`;
  const others = (['watch', 'unknown'] as const).filter(verdict => count(verdict) > 0);
  const also = others.map(verdict => `, ${count(verdict)} ${verdict === 'watch' ? 'to watch' : 'unknown'}`).join('');
  if (leaking.length === 0) return also === '' ? `None of ${all} leaks` : `No leak is proven in ${all}${also}`;
  const names = leaking.slice(0, 3).map(({ target, resources }) => `${visible(target)} (${leakingIn(resources)})`);
  const more = leaking.length > 3 ? ` and ${leaking.length - 3} more` : '';
  return `${leaking.length} of ${all} ${leaking.length === 1 ? 'leaks' : 'leak'}: ${names.join(', ')}${more}${also}`;
}

function leakingIn(resources: readonly ResourceDetection[]): string {
  return resources
    .filter(({ verdict }) => verdict === 'leak')
    .map(({ resource }) => resource)
    .join(', ');
}

function isShown({ verdict }: DetectedTarget, { targets }: Detection, { only, wide }: DetectTextOptions): boolean {
  if (only !== undefined) return verdict === 'leak' || verdict === only;
  if (wide === true || mayLeak(verdict)) return true;
  return targets.filter(target => target.verdict === verdict).length <= MANY;
}

interface Row {
  readonly target: DetectedTarget;
  readonly resource: ResourceDetection;
}

/** The worst resource, and in wide all of them. */
function rowsOf(target: DetectedTarget, wide: boolean): Row[] {
  const worst = target.resources.filter(({ verdict }) => verdict === target.verdict);
  const shown = wide ? target.resources : mayLeak(target.verdict) ? worst : worst.slice(0, 1);
  return shown.map(resource => ({ target, resource }));
}

type Layout = DetectTextOptions & { readonly style: Style; readonly width: number };

function rowLines(rows: readonly Row[], detection: Detection, layout: Layout): string[] {
  const { style, width, wide = false, ascii = false } = layout;
  const cells = rows.map(({ target, resource }) => [
    resource.verdict,
    visible(target.target),
    resource.resource,
    levelPhrase(resource),
    slopePhrase(resource),
    sincePhrase(target, resource),
    limitPhrase(resource),
    sparkline(resource.history, { width: SPARK_WIDTH, ascii }) || '-',
  ]);
  const [header, ...lines] = table(HEADERS, cells);
  const out = [header];
  rows.forEach(({ target, resource }, i) => {
    const { verdict } = resource;
    out.push(style.verdict(verdict, verdict) + elementAt(lines, i).slice(verdict.length));
    const reasons = wide ? resource.reasons : resource.reasons.slice(0, 1);
    const limit = wide && resource.limit !== null ? [`limit: ${limitArithmetic(resource.limit, resource.unit)}`] : [];
    const notes = [...reasons.map(visible), ...limit, ...clockPhrase(resource), ...lateness(target, detection)];
    for (const note of notes)
      out.push(...wrap(note, width - 2).map((line, at) => style.faint(`${at === 0 ? '  ' : '    '}${line}`)));
  });
  return out;
}

/** A target that stopped sending samples is judged by those that it sent. */
function lateness({ to }: DetectedTarget, { at, timeScale }: Detection): string[] {
  const hours = ((Date.parse(at) - Date.parse(to)) / 3_600_000) * timeScale;
  return hours > 2 ? [`not seen since ${toMinute(to)}`] : [];
}

/** `12 healthy: a, b, c and 9 more` */
function summary(verdict: Verdict, hidden: readonly DetectedTarget[], width: number): string[] {
  const targets = hidden.filter(target => target.verdict === verdict);
  if (targets.length === 0) return [];
  const names = targets.slice(0, NAMED).map(({ target }) => visible(target));
  const more = targets.length > NAMED ? ` and ${targets.length - NAMED} more: -o wide` : '';
  const lines = wrap(`${targets.length} ${verdict}: ${names.join(', ')}${more}`, width);
  const why = verdict === 'unknown' ? commonReason(targets) : undefined;
  return why === undefined ? lines : [...lines, ...wrap(why, width - 2).map(line => `  ${line}`)];
}

/** The most common reason of the unknown targets. */
function commonReason(targets: readonly DetectedTarget[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { resources } of targets) {
    const reason = resources[0]?.reasons[0];
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most === undefined ? undefined : `${visible(most[0])}${counts.size > 1 ? ` (${most[1]} of them)` : ''}`;
}

interface SparklineOptions {
  readonly width: number;
  readonly ascii?: boolean;
}

/** Null means unknown and becomes a space. */
export function sparkline(values: readonly (number | null)[], { width, ascii = false }: SparklineOptions): string {
  const columns = resampled(values, Math.min(width, values.length));
  const known = columns.filter(value => value !== null);
  if (known.length === 0) return '';
  const levels = ascii ? ASCII : BLOCKS;
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const range = Math.max(high - low, MIN_RANGE * Math.max(Math.abs(high), Math.abs(low)));
  const draw = (value: number): string =>
    levels.charAt(range === 0 ? 0 : Math.min(levels.length - 1, Math.floor(((value - low) / range) * levels.length)));
  return columns.map(value => (value === null ? ' ' : draw(value))).join('');
}

/** The mean of the values in each column. */
function resampled(values: readonly (number | null)[], width: number): (number | null)[] {
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.floor(((column + 1) * values.length) / width);
    const known = values.slice(from, to).filter(value => value !== null && Number.isFinite(value)) as number[];
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

/** Parts of a detection in words. All of it is safe to print. */
const NONE = '-';

function levelPhrase(resource: ResourceDetection): string {
  return resource.level === null ? NONE : formatAmount(resource.unit, resource.level);
}

/** `+41.8 MiB/h (40.9 MiB to 42.6 MiB)` */
function slopePhrase(resource: ResourceDetection): string {
  const { slopePerHour, slopeInterval } = resource;
  if (slopePerHour === null) return NONE;
  const slope = `${signed(formatRate(resource.unit, slopePerHour))}`;
  if (slopeInterval === null) return slope;
  return `${slope} (${formatAmount(resource.unit, slopeInterval[0])} to ${formatAmount(resource.unit, slopeInterval[1])})`;
}

/** When the rise began, or that it began before the recording. */
function sincePhrase({ from }: DetectedTarget, { onset, verdict }: ResourceDetection): string {
  if (onset !== null) return toMinute(onset);
  return mayLeak(verdict) ? `before ${toMinute(from)}` : NONE;
}

/** `3d4h to 5d`, `12d or more` */
function limitPhrase({ timeToLimitHours }: ResourceDetection): string {
  if (timeToLimitHours === null) return NONE;
  return formatHours(timeToLimitHours);
}

/** What drives the rise, if it is something other than time. */
function clockPhrase(resource: ResourceDetection): string[] {
  const { clock } = resource;
  return clock === null || clock.per === 'hour'
    ? []
    : [`${formatAmount(resource.unit, clock.amount)} per ${visible(clock.per)}`];
}

const NOTES = 3;

/** The inputs; in wide, with every note. */
function detectInputLines({ at, timeScale, targets, inputs }: Detection, wide: boolean, width: number): string[] {
  const { readCount, otherCount, unread, notes } = inputs;
  const from = targets.map(target => target.from).sort()[0] ?? at;
  const others = otherCount === 0 ? '' : `; ${formatCount(otherCount)} other files hold no metrics`;
  const scaled = timeScale === 1 ? '' : `; time runs ${formatCount(timeScale)} times faster`;
  const files = `${formatCount(readCount)} ${readCount === 1 ? 'file' : 'files'} of metrics read`;
  const lines = named('INPUTS', [`${files}, ${from} to ${at}${scaled}${others}`], { indent: 0, nameWidth: 8, width });
  const all = [...unread.map(({ path, message }) => `not read: ${path}: ${message}`), ...notes];
  const shown = wide ? all : all.slice(0, NOTES);
  const more = all.length > shown.length ? [`   ${all.length - shown.length} more notes: -o wide`] : [];
  return [...lines, ...named('', shown.map(visible), { indent: 3, nameWidth: 0, width }), ...more];
}

/**
 * `oakum detect --replay`: when each verdict would have appeared, one per line.
 *
 * Without `wide`, changes from unknown to healthy are left out.
 */
export function renderReplay(detection: Detection, options: DetectTextOptions = {}): string {
  const { style = PLAIN, wide = false, only } = options;
  const width = Math.max(MIN_WIDTH, options.width ?? 100);
  const changes = detection.changes ?? [];
  const matching = changes.filter(change => isMatching(change, only));
  const shown = wide ? matching : matching.filter(({ from, to }) => !(from === 'unknown' && to === 'healthy'));
  const hidden = matching.length - shown.length;
  const lines =
    shown.length === 0 ? ['No verdict but healthy or unknown appears'] : shown.map(one => line(one, style, wide));
  if (hidden > 0) lines.push(`${hidden} times unknown -> healthy: -o wide`);
  return `${[...lines, '', ...detectInputLines(detection, wide, width)].join('\n')}\n`;
}

/** Changes to the given verdict or a worse one, and back. */
function isMatching({ from, to }: VerdictChange, only: DetectTextOptions['only']): boolean {
  if (only === undefined) return true;
  return [from, to].some(verdict => verdict === 'leak' || verdict === only);
}

/** `2026-08-04T06:00Z leak-a live heap healthy -> watch` */
function line({ at, target, resource, from, to, reason }: VerdictChange, style: Style, wide: boolean): string {
  const change = `${toMinute(at)} ${visible(target)} ${resource} ${from} -> ${style.verdict(to, to)}`;
  return wide && reason !== '' ? `${change}\n  ${style.faint(visible(reason))}` : change;
}
