/**
 * What is read from metrics text, in columns: chosen series with their samples, and the size of everything.
 *
 *     scrapes   firstSample -> samples   series   value   time        in the order of the input
 *                                        |
 *     series    name, labels  <----------+                            interned: equal series have equal indexes
 */
import { decodeText } from '../../base/text.ts';
import type { MetricSeries } from '../snapshots/snapshot.ts';
import { canonicalName } from '../metric-names.ts';

export interface ExpositionSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ExpositionScrape {
  /** Unix seconds; undefined when neither a mark in the text nor its samples say. */
  readonly atSeconds: number | undefined;
  readonly firstSample: number;
  readonly sampleCount: number;
  /** All series of the scrape, chosen or not. */
  readonly seriesCount: number;
  /** The node named by the mark before the scrape; '' when there is none. */
  readonly node: string;
}

export interface ExpositionSamples {
  readonly series: Uint32Array;
  readonly values: Float64Array;
  /** The sample's own time or else its scrape's, in unix seconds; NaN when neither is known. */
  readonly times: Float64Array;
}

/** A metric family with its buckets, sums and counts. */
export interface FamilySize {
  readonly name: string;
  /** In the last scrape, and in the first. */
  readonly seriesCount: number;
  readonly firstSeriesCount: number;
}

export interface ExpositionProblem {
  readonly line: number;
  readonly expected: 'metric name' | 'labels' | 'value' | 'timestamp';
  /** The line, shortened. */
  readonly text: string;
}

export interface Exposition {
  readonly series: readonly ExpositionSeries[];
  readonly samples: ExpositionSamples;
  readonly scrapes: readonly ExpositionScrape[];
  /** Scrapes that the text marks as failed; they have no samples. */
  readonly failedScrapeCount: number;
  readonly lineCount: number;
  /** Series of the last scrape. */
  readonly seriesCount: number;
  /** From the last scrape, largest first. */
  readonly biggestFamilies: readonly FamilySize[];
  /** The first of them; `problemCount` has the number of all. */
  readonly problems: readonly ExpositionProblem[];
  readonly problemCount: number;
}

/** Visits every sample with its series, in the order of the input. The time is in unix seconds, NaN when unknown. */
export function forEachSample(
  { series, samples }: Pick<Exposition, 'series' | 'samples'>,
  visit: (series: ExpositionSeries, value: number, atSeconds: number) => void,
): void {
  for (let i = 0; i < samples.series.length; i++) visit(series[samples.series[i]], samples.values[i], samples.times[i]);
}

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

/** The labels of one series: `{code="200",path="/a\"b"}`, or with the metric's name in quotes: `{"my.metric",a="b"}`. */
interface ParsedLabels {
  /** The name, where it stands inside the braces: in quotes, or as `__name__`. */
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

const LABEL = /[\s,]*(?:([a-zA-Z_][a-zA-Z0-9_.:]*)|"((?:[^"\\]|\\.)*)")\s*(?:=\s*"((?:[^"\\]|\\.)*)")?\s*(?=[,}]|$)/uy;

/** Reads what stands between the braces; undefined when it is not labels. */
export function parseLabels(text: string): ParsedLabels | undefined {
  const labels = Object.create(null) as Record<string, string>;
  let name: string | undefined;
  let at = 0;
  while (at < text.length) {
    LABEL.lastIndex = at;
    const match = LABEL.exec(text);
    if (match === null) return /^[\s,]*$/.test(text.slice(at)) ? { name, labels } : undefined;
    const [, bare, quoted, value] = match;
    if (value !== undefined && bare === '__name__') name = unescapeText(value);
    else if (value !== undefined) labels[bare ?? unescapeText(quoted)] = unescapeText(value);
    else if (quoted !== undefined && name === undefined) name = unescapeText(quoted);
    else return undefined;
    at = LABEL.lastIndex;
  }
  return { name, labels };
}

function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(.)/gsu, (escape, char: string) =>
    char === 'n' ? '\n' : '\\"'.includes(char) ? char : escape,
  );
}

function escapeText(text: string): string {
  return text.replace(/["\\\n]/g, char => (char === '\n' ? '\\n' : `\\${char}`));
}

/** `name{a="1",b="2"}`, labels sorted: equal for equal series, however they were written. */
export function seriesKey(name: string, labels: Readonly<Record<string, string>>): string {
  const keys = Object.keys(labels).sort();
  if (keys.length === 0) return name;
  return `${name}{${keys.map(key => `${key}="${escapeText(labels[key])}"`).join(',')}}`;
}

/** The line that a recorder writes before each scrape: `# LAB scrape ts=1794772040.001 node=a path=/metrics status=200`. */
export interface ScrapeMark {
  readonly atSeconds: number | undefined;
  readonly node: string;
  readonly path: string;
  readonly failed: boolean;
}

const MARK = /^#\s*\w+ scrape((?: \w+=\S*)+)\s*$/;

export function parseScrapeMark(line: string): ScrapeMark | undefined {
  const pairs = MARK.exec(line)?.[1];
  if (pairs === undefined) return undefined;
  const fields = new Map(Array.from(pairs.matchAll(/ (\w+)=(\S*)/g), match => [match[1], match[2]]));
  const seconds = Number(fields.get('ts') || NaN);
  const status = fields.get('status') ?? '200';
  return {
    atSeconds: Number.isFinite(seconds) ? seconds : undefined,
    node: fields.get('node') ?? '',
    path: fields.get('path') ?? '',
    failed: !/^2\d\d$/.test(status),
  };
}

/** Whether a file is metrics text, by how it begins. */
const METADATA = /^# (?:HELP|TYPE|UNIT) [a-zA-Z_:"][^\s]*(?:\s|$)/;
const SAMPLE =
  /^(?:[a-zA-Z_:][a-zA-Z0-9_:.]*)?(?:\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})?[ \t]+[+-]?(?:[\d.]+(?:[eE][+-]?\d+)?|NaN|[Ii]nf)(?:[ \t]+-?[\d.]+)?(?: # .*)?\r?$/;

/** Metadata lines or a scrape mark decide at once; without them the first lines must all be samples. */
export function sniffExposition(head: Uint8Array): boolean {
  const lines = decodeText(head.subarray(0, 8192)).split('\n');
  // The last line may be cut.
  if (lines.length > 1) lines.pop();
  let samples = 0;
  for (const line of lines.slice(0, 40)) {
    if (line.trim() === '') continue;
    if (METADATA.test(line) || line.trimEnd() === '# EOF') return true;
    if (line.startsWith('#')) {
      if (parseScrapeMark(line) !== undefined) return true;
      continue;
    }
    if (!SAMPLE.test(line)) return false;
    // `main;work 3` is a folded stack, `3 @ 0x1` a profile: neither begins like a metric that is known.
    if (
      !/^(?:\{__name__="|go_|process_|\w+(?::\w+)*\{|\w*_(?:total|bytes|seconds|count|sum|bucket|info|pods|goroutines)\b)/.test(
        line,
      )
    ) {
      continue;
    }
    samples++;
  }
  return samples > 0;
}

/**
 * Time series under canonical names: name with labels -> samples in time order. Samples without a time keep the order of
 * the input.
 */
export function toSeries(read: Exposition): Map<string, MetricSeries> {
  const { samples } = read;
  const names = new Set(read.series.map(series => series.name));
  const bySeries = new Map<string, { name: string; labels: Readonly<Record<string, string>>; at: number[] }>();
  const targets = read.series.map(({ name, labels }) => {
    const canonical = canonicalName(name);
    // A recording rule beside the metric it was made from repeats it.
    if (canonical !== name && names.has(canonical)) return undefined;
    const key = seriesKey(canonical, labels);
    let target = bySeries.get(key);
    if (target === undefined) bySeries.set(key, (target = { name: canonical, labels, at: [] }));
    return target;
  });
  const isRepeated = repeatedSamples(read);
  for (let i = 0; i < samples.series.length; i++) if (!isRepeated(i)) targets[samples.series[i]]?.at.push(i);
  const out = new Map<string, MetricSeries>();
  for (const [key, { name, labels, at }] of bySeries) {
    if (!at.some(i => Number.isNaN(samples.times[i]))) at.sort((a, b) => samples.times[a] - samples.times[b]);
    const times = Float64Array.from(at, i => samples.times[i]);
    out.set(key, { name, labels, times, values: Float64Array.from(at, i => samples.values[i]) });
  }
  return out;
}

/** Asked for each sample in turn: whether its scrape had the series at that time before. No target means two values. */
function repeatedSamples({ series, samples, scrapes }: Exposition): (sample: number) => boolean {
  const seen = new Float64Array(series.length).fill(-1);
  let scrape = 0;
  return sample => {
    while (scrape + 1 < scrapes.length && sample >= (scrapes[scrape + 1]?.firstSample ?? Infinity)) scrape++;
    const own = samples.series[sample];
    const before = seen[own];
    if (before >= (scrapes[scrape]?.firstSample ?? 0) && Object.is(samples.times[before], samples.times[sample]))
      return true;
    seen[own] = sample;
    return false;
  };
}

/** Metrics that were read under another name, a sentence each. */
export function aliasNotes(read: Pick<Exposition, 'series'>): string[] {
  const names = new Set(read.series.map(series => series.name));
  const aliased = [...names].filter(name => canonicalName(name) !== name && !names.has(canonicalName(name)));
  return aliased.map(name => `${name} is read as ${canonicalName(name)}`);
}
