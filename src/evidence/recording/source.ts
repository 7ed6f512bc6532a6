/**
 * Where samples come from, before the targets are known: the labels that Prometheus gave the series, or the path of the
 * file for a plain scrape.
 */
import { isForDetection, isCounted, metricOf } from '../metric-names.ts';
import { fileName, targetInPath } from '../path-parts.ts';
import type { SampleTable } from './sample-table.ts';
import type { ExpositionSeries } from '../formats/exposition.ts';

/** Labels that identify a process; any other label may be the metric's own. */
export const TARGET_LABELS = ['cluster', 'node', 'job', 'instance'] as const;

export type Source = LabelSource | FileSource;

export interface LabelSource {
  readonly kind: 'labels';
  /** The value of the label that the user chose; '' when the user chose none or the series lacks it. */
  readonly chosen: string;
  readonly labels: Readonly<Record<(typeof TARGET_LABELS)[number], string>>;
}

export interface FileSource {
  readonly kind: 'file';
  readonly folder: string;
  /** The target that the file's name names; '' when it names none. */
  readonly name: string;
  /** The node that the text names; '' when it names none. */
  readonly node: string;
}

/** Undefined when the labels do not say where the series comes from. */
export function labelSource(labels: Readonly<Record<string, string>>, by: string | undefined): LabelSource | undefined {
  const chosen = by === undefined ? '' : (labels[by] ?? '');
  const { cluster = '', node = '', job = '', instance = '' } = labels;
  if (chosen === '' && node === '' && instance === '') return undefined;
  return { kind: 'labels', chosen, labels: { cluster, node, job, instance } };
}

export function fileSource(path: string, node: string): FileSource {
  const { folder, prefix } = targetInPath(path);
  return { kind: 'file', folder, name: prefix || targetInFileName(fileName(path)), node };
}

export function sourceKey(source: Source): string {
  if (source.kind === 'file') return JSON.stringify(['file', source.folder, source.name, source.node]);
  return JSON.stringify(['labels', source.chosen, ...TARGET_LABELS.map(label => source.labels[label])]);
}

const TIME =
  /(?:20\d\d-?[01]\d-?[0-3]\d(?:[T_ -]?[012]\d[-:_.h]?[0-5]\d(?:[-:_.m]?[0-5]\d)?)?Z?|1\d{9}(?:\.\d+|\d{3})?)(?!\d)/g;
const SAYS_NOTHING =
  /^(?:metrics?|probes|resource|cadvisor|slis|scrapes?|samples?|snap(?:shots?)?|range|query|federate|prometheus|openmetrics|prom|om|txt|json|gz|before|after|start|end|t|run|step|\d+)\d*$/i;

/** `worker-1` in `worker-1.prom` and in `metrics-worker-1-1794772040.txt`. */
function targetInFileName(file: string): string {
  const words = file.replace(TIME, '').split(/[-_.]+/);
  if (words.every(word => word === '' || SAYS_NOTHING.test(word))) return '';
  const name = words.filter(word => word !== '' && (/^\d+$/.test(word) || !SAYS_NOTHING.test(word)));
  return isForDetection(name.join('_')) ? '' : name.join('-');
}

/** The mean of each part; NaN where nothing was recorded. */
export function historyOf(
  tables: readonly SampleTable[],
  metric: string,
  fromSeconds: number,
  toSeconds: number,
  parts: number,
): Float64Array {
  const [sums, counts] = [new Float64Array(parts), new Float64Array(parts)];
  const seconds = (toSeconds - fromSeconds) / parts;
  for (const { metrics, times, values } of tables) {
    const at = metrics.indexOf(metric);
    if (at < 0) continue;
    times.forEach((time, row) => {
      const value = values[row * metrics.length + at] ?? NaN;
      if (!Number.isFinite(value) || time < fromSeconds || time > toSeconds) return;
      const bin = seconds > 0 ? Math.min(parts - 1, Math.floor((time - fromSeconds) / seconds)) : 0;
      sums[bin] = (sums[bin] ?? 0) + value;
      counts[bin] = (counts[bin] ?? 0) + 1;
    });
  }
  return sums.map((sum, bin) => sum / (counts[bin] ?? 0));
}

/** How the detector uses a series: the name its values count under, and whether they are added to those of other labels. */
export interface MetricRule {
  readonly metric: string;
  /** Whether the series of the metric are added up; otherwise there is one per process. */
  readonly isSum: boolean;
}

/** Undefined when the detector does not use the metric, or not this series of it. */
export function ruleFor({ name, labels }: ExpositionSeries): MetricRule | undefined {
  const found = metricOf(name);
  if (found === undefined || !found.uses.includes('detection') || !isCounted(found, labels)) return undefined;
  return { metric: found.name, isSum: found.isSum };
}
