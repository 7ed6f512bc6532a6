/** Which chart shows which of a target's series. Series that no rule names get a chart each. */
import { POD_METRICS } from '../../src/evidence/resource-rules.ts';
import type { ChartSeries } from '../../src/watch/watch-model.ts';
import { factsOf, RESIDENT_METRICS, type Resource } from '../../src/evidence/resource.ts';
import { PLEG_AGE } from '../../src/evidence/metric-names.ts';
import type { Unit } from '../widgets/value-text.ts';
import { ratePerHour } from './chart-data.ts';

export interface PanelLine {
  readonly label: string;
  readonly series: ChartSeries;
  /** Drawn as a shaded area on a separate scale, so that it does not flatten the other lines. */
  readonly isBackground: boolean;
  readonly unit: Unit;
}

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly resource: Resource | null;
  /** The resource whose limit is drawn; resident memory counts towards the limit of the live heap. */
  readonly limitOf: Resource | null;
  /** In drawing order: background lines come first. */
  readonly lines: readonly PanelLine[];
  /** Always shown; other charts are folded away unless they matter. */
  readonly isStandard: boolean;
}

interface LineRule {
  readonly label: string;
  /** In order of preference. */
  readonly metrics: readonly string[];
  readonly isBackground?: boolean;
  readonly transform?: (series: ChartSeries) => ChartSeries;
}

interface PanelRule {
  readonly title: string;
  readonly resource: Resource | null;
  readonly limitOf: Resource | null;
  readonly lines: readonly LineRule[];
  readonly isStandard: boolean;
}

const STARTS = ['kubelet_started_pods_total'];

const RULES: readonly PanelRule[] = [
  { ...panelOf('live heap', 'Live heap', true), limitOf: null },
  {
    title: 'Resident memory',
    resource: null,
    limitOf: 'live heap',
    lines: [{ label: 'resident', metrics: RESIDENT_METRICS }],
    isStandard: true,
  },
  panelOf('memory outside the Go heap', 'Memory outside the Go heap', false),
  panelOf('goroutines', 'Goroutines', true),
  {
    title: 'Pods',
    resource: null,
    limitOf: null,
    lines: [
      { label: 'pods', metrics: POD_METRICS },
      { label: 'starts per hour', metrics: STARTS, isBackground: true, transform: ratePerHour },
    ],
    isStandard: true,
  },
  {
    title: 'PLEG age',
    resource: null,
    limitOf: null,
    lines: [{ label: 'since the last relist', metrics: [PLEG_AGE] }],
    isStandard: true,
  },
  panelOf('stacks', 'Stacks', false),
  panelOf('threads', 'Threads', false),
  panelOf('file descriptors', 'File descriptors', false),
  panelOf('metric series', 'Metric series', false),
];

function panelOf(resource: Resource, title: string, isStandard: boolean): PanelRule {
  return {
    title,
    resource,
    limitOf: resource,
    lines: [{ label: resource, metrics: factsOf(resource).metrics }],
    isStandard,
  };
}

export function panelsOf(series: readonly ChartSeries[]): Panel[] {
  const byMetric = new Map(series.filter(({ times }) => times.length > 0).map(one => [one.metric, one]));
  const used = new Set<string>();
  const panels = RULES.flatMap(rule => {
    const lines = rule.lines.flatMap(line => {
      const found = line.metrics.map(metric => byMetric.get(metric)).find(one => one !== undefined);
      for (const metric of line.metrics) used.add(metric);
      if (found === undefined) return [];
      const drawn = line.transform?.(found) ?? found;
      return [{ label: line.label, series: drawn, isBackground: line.isBackground === true, unit: drawn.unit }];
    });
    // A background line alone is an ordinary line.
    const front = lines.some(line => !line.isBackground)
      ? lines
      : lines.map(line => ({ ...line, isBackground: false }));
    return front.length === 0
      ? []
      : [{ ...rule, id: rule.title, lines: front.toSorted((a, b) => Number(b.isBackground) - Number(a.isBackground)) }];
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
    limitOf: null,
    lines: [{ label, series: drawn, isBackground: false, unit: drawn.unit }],
    isStandard: false,
  };
}
