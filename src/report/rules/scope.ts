/**
 * The processes that the rules watch, and the labels that identify one. Everything is first aggregated to these labels,
 * so that series of one process that differ in `endpoint` or `metrics_path` can be joined.
 */
import { type Matcher, writeMatchers } from './matchers.ts';

export type Component = 'kubelet' | 'any';

export interface RuleOptions {
  readonly component: Component;
  readonly matchers: readonly Matcher[];
  /** The label that holds the name of the node. */
  readonly nodeLabel: string;
  /** How long a trend must hold before it alerts; a Prometheus duration. */
  readonly holdFor: string;
  /** Where docs/rules.md is read, without anchor. */
  readonly docsUrl: string;
}

export interface Scope extends RuleOptions {
  /** The prefix of recorded series; each component has its own, so that the rules of both can be loaded. */
  readonly level: string;
  /** One process. */
  readonly target: string;
  /** One process as cAdvisor, which may be another job, labels it: by the kubelet's node or the container. */
  readonly place: string;
  /** Processes of the same kind, which are expected to behave alike. */
  readonly pool: string;
  /** One process, in the words of an annotation. */
  readonly subject: string;
  /** One process, for `oakum triage`. */
  readonly triage: string;
}

const POD = 'pod/{{ $labels.namespace }}/{{ $labels.pod }}';

export function scopeOf(options: RuleOptions): Scope {
  const { component, nodeLabel } = options;
  const pool = 'cluster, job';
  if (component === 'any') {
    return {
      ...options,
      level: 'oakum_any',
      pool,
      target: 'cluster, job, namespace, pod, container, instance',
      place: 'cluster, namespace, pod, container',
      subject: '{{ with $labels.job }}{{ . }} {{ end }}{{ or $labels.pod $labels.instance }}',
      triage: `{{ if $labels.pod }}${POD}{{ else }}http://{{ $labels.instance }}{{ end }}`,
    };
  }
  const place = ['cluster', ...new Set(['instance', nodeLabel])].join(', ');
  return {
    ...options,
    level: 'oakum',
    pool,
    target: place.replace('cluster', pool),
    place,
    subject: `the kubelet of {{ $labels.${nodeLabel} }}`,
    triage: `node/{{ $labels.${nodeLabel} }}`,
  };
}

/** A metric of the processes themselves. */
export function ofTargets({ matchers }: Scope, metric: string, more = ''): string {
  return selected(metric, writeMatchers(matchers), more);
}

/** A metric of cAdvisor or of `/metrics/resource`, whose job may have another name. */
export function ofContainers({ matchers }: Scope, metric: string, more = ''): string {
  return selected(metric, writeMatchers(matchers.filter(({ label }) => label !== 'job')), more);
}

function selected(metric: string, ...matchers: readonly string[]): string {
  const all = matchers.filter(text => text !== '').join(', ');
  return all === '' ? metric : `${metric}{${all}}`;
}

/** One value per process. */
export function each({ target }: Scope, expr: string): string {
  return `max by (${target}) (${expr})`;
}
