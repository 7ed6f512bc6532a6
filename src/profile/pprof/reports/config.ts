/** The options of `go tool pprof` that shape a report. Names are pprof's flags. */
import type { Granularity } from '../transform/aggregate.ts';

export interface PprofConfig {
  readonly call_tree: boolean;
  readonly relative_percentages: boolean;
  readonly unit: string;
  readonly compact_labels: boolean;
  readonly source_path: string;
  readonly trim_path: string;
  readonly intel_syntax: boolean;
  readonly mean: boolean;
  readonly sample_index: string;
  readonly divide_by: number;
  readonly normalize: boolean;
  readonly sort: 'flat' | 'cum';
  readonly tagroot: string;
  readonly tagleaf: string;
  readonly drop_negative: boolean;
  readonly nodecount: number;
  readonly nodefraction: number;
  readonly edgefraction: number;
  readonly trim: boolean;
  readonly focus: string;
  readonly ignore: string;
  readonly prune_from: string;
  readonly hide: string;
  readonly show: string;
  readonly show_from: string;
  readonly tagfocus: string;
  readonly tagignore: string;
  readonly tagshow: string;
  readonly taghide: string;
  readonly noinlines: boolean;
  readonly showcolumns: boolean;
  readonly granularity: Granularity;
  readonly output: string;
}

export const DEFAULT_CONFIG: PprofConfig = {
  call_tree: false,
  relative_percentages: false,
  unit: 'minimum',
  compact_labels: false,
  source_path: '',
  trim_path: '',
  intel_syntax: false,
  mean: false,
  sample_index: '',
  divide_by: 1,
  normalize: false,
  sort: 'flat',
  tagroot: '',
  tagleaf: '',
  drop_negative: false,
  nodecount: -1,
  nodefraction: 0.005,
  edgefraction: 0.001,
  trim: true,
  focus: '',
  ignore: '',
  prune_from: '',
  hide: '',
  show: '',
  show_from: '',
  tagfocus: '',
  tagignore: '',
  tagshow: '',
  taghide: '',
  noinlines: false,
  showcolumns: false,
  granularity: '',
  output: '',
};

/** All reports; `list` and `peek` take an expression. */
export const REPORTS = [
  'callgrind',
  'comments',
  'dot',
  'list',
  'peek',
  'proto',
  'raw',
  'tags',
  'text',
  'top',
  'topproto',
  'traces',
  'tree',
] as const;

export type ReportName = (typeof REPORTS)[number];

export const REPORTS_WITH_PARAMETER: ReadonlySet<string> = new Set<ReportName>(['list', 'peek']);

/** Some reports override the trimming and granularity flags. */
export function configFor(report: ReportName, config: PprofConfig): PprofConfig {
  let { trim, granularity, nodecount } = config;
  if (report === 'list') {
    trim = false;
    granularity = 'lines';
  } else if (report === 'peek') {
    trim = false;
  } else if (nodecount === -1) {
    nodecount = report === 'text' || report === 'top' || report === 'topproto' ? 0 : 80;
  }
  if (report === 'proto' || report === 'raw' || report === 'callgrind') {
    trim = false;
    granularity = 'addresses';
  }
  const untrimmed = { nodecount: 0, nodefraction: 0, edgefraction: 0 };
  return { ...config, granularity, nodecount, ...(trim ? {} : untrimmed) };
}
