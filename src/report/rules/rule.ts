/** Prometheus rules as data, with the fields in the order of Prometheus' own YAML. */

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Annotations;
}

export interface Annotations {
  readonly summary: string;
  /** What was measured, with the numbers, and what it means. */
  readonly description: string;
  /** The command to run next. */
  readonly runbook: string;
  readonly runbook_url: string;
}

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly (RecordingRule | AlertRule)[];
}

export function isAlert(rule: RecordingRule | AlertRule): rule is AlertRule {
  return 'alert' in rule;
}

/** One alert with the labels and annotations that all alerts have. */

/** `watch` opens a ticket, `leak` pages; the severities are those of the kubernetes-mixin. */
const SEVERITIES = { watch: 'warning', leak: 'critical' } as const;

export interface AlertDraft {
  readonly name: string;
  readonly tier: keyof typeof SEVERITIES;
  readonly expr: string;
  readonly holdFor: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** The command to run instead of a triage. */
  readonly command?: string;
  /** A heading of docs/rules.md. */
  readonly anchor: string;
}

export function alertOf(draft: AlertDraft, { docsUrl, triage }: Scope): AlertRule {
  return {
    alert: draft.name,
    expr: draft.expr,
    for: draft.holdFor,
    labels: { severity: SEVERITIES[draft.tier], ...draft.labels },
    annotations: {
      summary: draft.summary,
      description: draft.description,
      runbook: draft.command ?? `oakum triage ${triage}`,
      runbook_url: `${docsUrl}#${draft.anchor}`,
    },
  };
}

/**
 * Label matchers as users type them, parsed strictly: nothing else may reach an expression.
 *
 *     job="kubelet", cluster!~"test-.*"   ->   [{ label: 'job', operator: '=', value: 'kubelet' }, ...]
 */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

const ONE = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\\n]|\\["\\])*)"\s*(,|$)/y;

/** With or without braces; undefined when it is not a list of matchers. */
export function parseMatchers(text: string): Matcher[] | undefined {
  const inner = text.trim().replace(/^\{([^]*)\}$/, '$1');
  const matchers: Matcher[] = [];
  ONE.lastIndex = 0;
  for (;;) {
    const found = ONE.exec(inner);
    if (found === null) return undefined;
    const [, label = '', operator, value = '', end] = found;
    matchers.push({ label, operator: operator as Matcher['operator'], value: value.replace(/\\(["\\])/g, '$1') });
    if (end === '') return matchers;
  }
}

export function writeMatchers(matchers: readonly Matcher[]): string {
  return matchers.map(({ label, operator, value }) => `${label}${operator}${quote(value)}`).join(', ');
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Names of recorded series, level:metric:operation: `oakum:goroutines:floor1h`. */
export function recorded({ level }: Scope, key: string, operation: string): string {
  return `${level}:${key}:${operation}`;
}

/** Seconds since the process started. */
export function ageOf({ level }: Scope): string {
  return `${level}:process_age_seconds`;
}

/** The value of a recorded series `days` ago, even if Prometheus was down for an hour then. */
export function daysAgo(name: string, days: number): string {
  return `last_over_time(${name}[2h] offset ${days}d)`;
}

/** Prometheus looks back five minutes for a sample: a series recorded less often would have gaps. */
export const RECORDING_INTERVAL = '3m';

/** Spans of time that several rules share. */
const HOUR: number = 3600;
export const DAY_SECONDS: number = 24 * HOUR;

/** After its start, a process fills with caches, informers and returning pods. */
const WARM_UP_SECONDS: number = 8 * HOUR;

/** How far `floor1h` looks back. */
const FLOOR_SECONDS: number = HOUR;

/** The age at which hourly floors over the last `seconds` are all from one warm life of the process. */
export function settledAge(seconds: number): number {
  return WARM_UP_SECONDS + FLOOR_SECONDS + seconds;
}

/**
 * The processes that the rules watch, and the labels that identify one. Everything is first aggregated to these labels,
 * so that series of one process that differ in `endpoint` or `metrics_path` can be joined.
 */
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
