/** A Grafana dashboard over the recorded series: the fleet worst first, then the processes in detail. */
import { DATA_SOURCE, layOut, type Panel } from './dashboard-panel.ts';
import { panelsOf } from './dashboard-panels.ts';
import { ofTargets, type RuleOptions, scopeOf } from './rule.ts';

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
