/**
 * Where samples come from, before the targets are known: the labels that Prometheus gave the series, or the path of the
 * file for a plain scrape.
 */
import { isForDetection } from '../metric-names.ts';
import { fileName } from '../path-parts.ts';
import { targetInPath } from '../target-in-path.ts';

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
