/** A Grafana dashboard over the recorded series: the fleet worst first, then the processes in detail. */
import {
  type Column,
  DATA_SOURCE,
  type GraphDraft,
  layOut,
  type Panel,
  type PanelDraft,
  type Query,
  type StatDraft,
  type TableDraft,
} from './dashboard-panel.ts';
import { ofTargets, type RuleOptions, type Scope, scopeOf } from './rule.ts';
import { TREND_RULES } from './trend-rules.ts';

/** That of Grafana 10; later versions migrate it when they load it. */
export const SCHEMA_VERSION = 39;

interface Variable {
  readonly name: string;
  readonly label: string;
  readonly type: 'datasource' | 'query' | 'textbox';
  readonly query: string;
  readonly [more: string]: unknown;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly schemaVersion: number;
  readonly editable: boolean;
  /** 1 shows the cursor in all graphs. */
  readonly graphTooltip: number;
  readonly refresh: string;
  readonly time: { readonly from: string; readonly to: string };
  readonly annotations: { readonly list: readonly object[] };
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

export function dashboardOf(options: RuleOptions): Dashboard {
  const ofKubelets = options.component === 'kubelet';
  const who = ofKubelets ? options.nodeLabel : 'instance';
  const scope = scopeOf(options);
  const valuesOf = (label: string, more = ''): string =>
    `label_values(${ofTargets(scope, 'go_goroutines', more)}, ${label})`;
  return {
    uid: `oakum-${options.component}`,
    title: ofKubelets ? 'Oakum: leaks of kubelets' : 'Oakum: leaks of Go processes',
    description: 'Shows the series that the rules of oakum rules record; it is empty without them.',
    tags: ['oakum'],
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    graphTooltip: 1,
    refresh: '5m',
    time: { from: 'now-7d', to: 'now' },
    annotations: { list: [INCIDENTS] },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        choice('job', 'Job', valuesOf('job')),
        choice(who, ofKubelets ? 'Node' : 'Instance', valuesOf(who, 'job=~"$job"')),
      ],
    },
    panels: layOut(panelsOf(scope, who)),
  };
}

/** Incidents that `oakum watch` posts to Grafana itself; none if it does not. */
export const INCIDENTS: object = {
  name: 'Incidents',
  datasource: { type: 'grafana', uid: '-- Grafana --' },
  enable: true,
  iconColor: 'red',
  target: { type: 'tags', tags: ['oakum'], matchAny: false, limit: 100 },
};

/** `.*` and not `.+`: a label that does not exist is empty. */
function choice(name: string, label: string, query: string): Variable {
  const all = { includeAll: true, multi: true, allValue: '.*', current: { text: 'All', value: '$__all' } };
  return { name, label, type: 'query', query, datasource: DATA_SOURCE, refresh: 2, sort: 1, ...all };
}

/** Series of the processes that the user selected in the dashboard. */
interface Chosen {
  /** `goroutines:floor1h`. */
  readonly recorded: (name: string) => string;
  /** Recorded by place, without the job. */
  readonly recordedByPlace: (name: string) => string;
  readonly raw: (metric: string) => string;
  /** The same with the label of the process as legend. */
  readonly named: (expr: string, words?: string) => Query;
}

/**
 * What the dashboard shows.
 *
 *     leak | watch | processes seen
 *     fleet, worst first
 *     growth per day of heap and of goroutines
 *     time to limit, restarts, and what each process holds
 *
 *  `who` is the label, and the variable, that names a process.
 */
function panelsOf(scope: Scope, who: string): PanelDraft[] {
  const ofWho = `${who}=~"$${who}"`;
  const chosen: Chosen = {
    recorded: name => `${scope.level}:${name}{job=~"$job", ${ofWho}}`,
    recordedByPlace: name =>
      scope.component === 'kubelet' ? `${scope.level}:${name}{${ofWho}}` : `${scope.level}:${name}`,
    raw: metric => ofTargets(scope, metric, `job=~"$job", ${ofWho}`),
    named: (expr, words) => ({ expr, legend: words === undefined ? `{{${who}}}` : `${words} {{${who}}}` }),
  };
  const ofKubelets = scope.component === 'kubelet';
  return [
    ...counts(chosen),
    fleet(chosen, scope, who),
    ...trends(chosen),
    ofKubelets ? goroutinesAndPods(chosen) : goroutines(chosen),
    ...holdings(chosen),
    ...(ofKubelets ? kubeletHealth(chosen) : []),
  ];
}

function counts({ raw }: Chosen): StatDraft[] {
  const firing = (verdict: string): string =>
    `count(ALERTS{alertname=~"Oakum.+Rising", alertstate="firing", verdict="${verdict}"}) or vector(0)`;
  const size = { kind: 'stat', width: 8, height: 4 } as const;
  return [
    { ...size, title: 'Leak', description: 'Alerts: growth on each of three days.', expr: firing('leak') },
    { ...size, title: 'Watch', description: 'Alerts: a day of growth that goes on.', expr: firing('watch') },
    {
      ...size,
      title: 'Processes seen',
      description: 'Processes that the rules watch.',
      expr: `count(${raw('go_goroutines')}) or vector(0)`,
    },
  ];
}

function fleet({ recorded }: Chosen, { target, component }: Scope, who: string): TableDraft {
  const perDay = (key: string): string => `${recorded(`${key}:unexplained3d`)} / 3`;
  const shares = TREND_RULES.map(
    ({ key, resource }) =>
      `label_replace(${perDay(key)} / ${recorded(`${key}:floor1d`)}, "resource", "${resource}", "", "")`,
  );
  const pods: Column[] = [{ name: 'Pods', unit: 'short', expr: recorded('pods:floor1h') }];
  return {
    kind: 'table',
    title: 'Fleet, worst first',
    description: 'Mean growth per day over three days that pods do not explain; empty in the first days of a process.',
    width: 24,
    height: 10,
    labels: [who],
    hiddenLabels: target.split(', ').filter(label => label !== who && label !== 'cluster'),
    columns: [
      { name: 'Worst growth per day', unit: 'percentunit', expr: `max by (${target}) (\n${shares.join('\nor ')}\n)` },
      { name: 'Live heap per day', unit: 'bytes', expr: perDay('live_heap_bytes') },
      { name: 'Goroutines per day', unit: 'short', expr: perDay('goroutines') },
      { name: 'Descriptors per day', unit: 'short', expr: perDay('open_fds') },
      { name: 'Live heap', unit: 'bytes', expr: recorded('live_heap_bytes:floor1h') },
      ...(component === 'kubelet' ? pods : []),
      { name: 'Up', unit: 's', expr: recorded('process_age_seconds') },
    ],
  };
}

function trends({ recorded, recordedByPlace, raw, named }: Chosen): GraphDraft[] {
  const beyond = 'Beyond what pods explain; a gap after each restart.';
  return [
    graph('Growth of the live heap per day', beyond, 'bytes', [named(recorded('live_heap_bytes:unexplained1d'))]),
    graph('Growth of goroutines per day', beyond, 'short', [named(recorded('goroutines:unexplained1d'))]),
    graph('Time to limit', 'At the rate of the last day; only for what rises and has a known limit.', 's', [
      ...['open_fds', 'threads', 'live_heap_bytes'].map(key => named(recorded(`${key}:seconds_to_limit1d`), key)),
      named(recordedByPlace('memory_bytes:seconds_to_limit1d'), 'memory'),
    ]),
    graph('Restarts', 'Within an hour.', 'short', [named(`changes(${raw('process_start_time_seconds')}[1h])`)]),
  ];
}

function goroutines({ raw, named }: Chosen): GraphDraft {
  return graph('Goroutines', '', 'short', [named(raw('go_goroutines'))]);
}

function goroutinesAndPods({ raw, named }: Chosen): GraphDraft {
  const queries = [named(raw('go_goroutines'), 'goroutines'), named(raw('kubelet_running_pods'), 'pods')];
  const title = 'Goroutines and pods';
  return { ...graph(title, 'Goroutines that follow the pods are not a leak.', 'short', queries), rightAxis: 'pods' };
}

function holdings({ recorded, raw, named }: Chosen): GraphDraft[] {
  return [
    graph(
      'Live heap and resident memory',
      'Resident memory far above a flat live heap is memory that was not returned.',
      'bytes',
      [
        named(raw('go_gc_heap_live_bytes'), 'live heap'),
        named(raw('go_memstats_heap_inuse_bytes'), 'heap in use'),
        named(raw('go_memstats_stack_inuse_bytes'), 'stacks'),
        named(raw('process_resident_memory_bytes'), 'resident'),
      ],
    ),
    graph('File descriptors and threads', 'Floors of the hour.', 'short', [
      named(recorded('open_fds:floor1h'), 'descriptors'),
      named(recorded('threads:floor1h'), 'threads'),
    ]),
    graph('Metric series', 'Samples in a scrape of the process itself.', 'short', [
      named(recorded('metric_series:floor1h')),
    ]),
  ];
}

function kubeletHealth({ recorded, recordedByPlace, raw, named }: Chosen): GraphDraft[] {
  return [
    graph('Last listing of pods', 'Its age; from 180 s on the node is NotReady.', 's', [
      named(`time() - ${raw('kubelet_pleg_last_seen_seconds')}`),
    ]),
    graph('Failing calls to the container runtime', 'Share of all calls within an hour.', 'percentunit', [
      named(recorded('container_runtime_errors:ratio1h')),
    ]),
    graph('Memory of pods and of the kubelet', 'Which of the two fills the node.', 'bytes', [
      named(recordedByPlace('workload_bytes:sum'), 'pods'),
      named(raw('process_resident_memory_bytes'), 'kubelet'),
    ]),
  ];
}

function graph(title: string, description: string, unit: string, queries: readonly Query[]): GraphDraft {
  return { kind: 'timeseries', title, description, unit, queries, width: 12, height: 8 };
}
