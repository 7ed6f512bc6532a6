/** Which chart a target's series are drawn in. Those that the four usual ones leave over get one each. */
import { POD_METRICS, RESOURCE_RULES } from '../../src/analysis/detect/resources.ts';
import type { DetectedResource } from '../../src/model/detection.ts';
import type { ChartSeries } from '../../src/model/watch.ts';
import type { Unit } from '../text/amount-text.ts';
import { ratePerHour } from './chart-data.ts';

export interface PanelLine {
  readonly label: string;
  readonly series: ChartSeries;
  /** Drawn as a shade from zero, on a scale of its own: it must not flatten what stands in front. */
  readonly isBehind: boolean;
  readonly unit: Unit;
}

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly resource: DetectedResource | null;
  /** As drawn: what stands behind comes first. */
  readonly lines: readonly PanelLine[];
  /** One of the four; the others are folded away unless they matter. */
  readonly isUsual: boolean;
}

interface LineRule {
  readonly label: string;
  /** Best first. */
  readonly metrics: readonly string[];
  readonly isBehind?: boolean;
  readonly from?: (series: ChartSeries) => ChartSeries;
}

interface PanelRule {
  readonly title: string;
  readonly resource: DetectedResource | null;
  readonly lines: readonly LineRule[];
  readonly isUsual: boolean;
}

const RESIDENT = ['process_resident_memory_bytes', 'container_memory_working_set_bytes'];
const STARTS = ['kubelet_started_pods_total', 'kubelet_pod_start_duration_seconds_count'];

function metricsOf(resource: DetectedResource): string[] {
  const rule = RESOURCE_RULES.find(one => one.resource === resource);
  return rule?.sources.map(({ metric }) => metric).filter(metric => !RESIDENT.includes(metric)) ?? [];
}

const RULES: readonly PanelRule[] = [
  panelOf('goroutines', 'Goroutines', true),
  {
    title: 'Live heap',
    resource: 'live heap',
    lines: [
      { label: 'live heap', metrics: metricsOf('live heap') },
      { label: 'resident', metrics: RESIDENT, isBehind: true },
    ],
    isUsual: true,
  },
  {
    title: 'Pods',
    resource: null,
    lines: [
      { label: 'pods', metrics: POD_METRICS },
      { label: 'starts per hour', metrics: STARTS, isBehind: true, from: ratePerHour },
    ],
    isUsual: true,
  },
  {
    title: 'PLEG age',
    resource: null,
    lines: [{ label: 'since the last relist', metrics: ['kubelet_pleg_age_seconds'] }],
    isUsual: true,
  },
  panelOf('stacks', 'Stacks', false),
  panelOf('threads', 'Threads', false),
  panelOf('file descriptors', 'File descriptors', false),
  panelOf('metric series', 'Metric series', false),
];

function panelOf(resource: DetectedResource, title: string, isUsual: boolean): PanelRule {
  return { title, resource, lines: [{ label: resource, metrics: metricsOf(resource) }], isUsual };
}

export function panelsOf(series: readonly ChartSeries[]): Panel[] {
  const byMetric = new Map(series.filter(({ times }) => times.length > 0).map(one => [one.metric, one]));
  const used = new Set<string>();
  const panels = RULES.flatMap(rule => {
    const lines = rule.lines.flatMap(line => {
      const found = line.metrics.map(metric => byMetric.get(metric)).find(one => one !== undefined);
      for (const metric of line.metrics) used.add(metric);
      if (found === undefined) return [];
      const drawn = line.from?.(found) ?? found;
      return [{ label: line.label, series: drawn, isBehind: line.isBehind === true, unit: drawn.unit }];
    });
    // Nothing can stand behind nothing.
    const front = lines.some(line => !line.isBehind) ? lines : lines.map(line => ({ ...line, isBehind: false }));
    return front.length === 0
      ? []
      : [{ ...rule, id: rule.title, lines: front.toSorted((a, b) => Number(b.isBehind) - Number(a.isBehind)) }];
  });
  const rest = [...byMetric.values()].filter(({ metric }) => !used.has(metric));
  return [...panels, ...rest.map(otherPanel)];
}

function otherPanel(series: ChartSeries): Panel {
  const isCounter = /_(?:total|count|sum)$/.test(series.metric);
  const drawn = isCounter ? ratePerHour(series) : series;
  const label = isCounter ? 'per hour' : series.metric;
  return {
    id: series.metric,
    title: series.metric,
    resource: null,
    lines: [{ label, series: drawn, isBehind: false, unit: drawn.unit }],
    isUsual: false,
  };
}
