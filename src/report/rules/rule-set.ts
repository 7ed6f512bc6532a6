/** All rules in groups; each group builds on those before it. */
import { limitGroups } from './limits.ts';
import {
  type RuleGroup,
  type RecordingRule,
  type AlertRule,
  alertOf,
  ageOf,
  recorded,
  RECORDING_INTERVAL,
  daysAgo,
  DAY_SECONDS,
  settledAge,
  type RuleOptions,
  scopeOf,
  each,
  ofTargets,
  type Scope,
  ofContainers,
} from './rule.ts';
import { spellings } from '../../evidence/metric-names.ts';
import { TREND_RULES, type TrendRule } from './trend-rules.ts';

/** Alerts about kubelets that are not leaks, though they may look like one or follow one. */
const RUNTIME_ERRORS = ['container_runtime_errors', 'ratio1h'] as const;

/** Share of all calls within an hour. */
const HUNG_RUNTIME_SHARE = 0.1;

/** At 180 seconds a kubelet reports itself unhealthy and its node NotReady. */
const PLEG_SECONDS = 120;

/** Share of the pods' growth; a kubelet with less did not fill the node. */
const OWN_SHARE = 0.1;

/**
 * What one more pod costs, learned from the fleet. Levels are compared over 6 hours, not over days: within 6 hours pods
 * come and go by the dozen and a slow leak hardly shows. Each kubelet gives an estimate, sum(dx*dp) / sum(dp*dp) over a
 * week; the median of the fleet counts, which a few leaking kubelets do not move.
 */
const SPAN_SECONDS = 6 * 3600;

/** With a smaller sum of squares over a week, the pods changed too little: about one change by three pods. */
const MIN_MOVEMENT = 50;

/**
 * Growth that pods do not explain, and whether it is a trend.
 *
 *     floor1d ── growth1d ── unexplained1d ─┬─ rising1d    a day's growth that goes on       -> watch
 *      (minus what the new pods cost)       └─ steady3d    three days of it, each with its part  -> leak
 *
 * `rising1d` and `steady3d` exist only for processes that rise. A restart leaves a gap in growth1d until both days that
 * it compares are after the restart, so nothing is ever compared across one.
 *
 * Each day's part of the growth of three days; an even third would be 0.33.
 */
const MIN_PART_OF_DAY = 0.12;

/** The last day relative to the first: a process that settles slows down. */
const MIN_PERSISTENCE = 0.6;

/** Growth relative to the falls of a usual day, of the process and of the fleet. */
const TIMES_WANDER = 2;

/** Growth hour by hour in the last day, relative to that of the daily floor: after a step they differ within an hour. */
const MIN_GOING_ON = 0.5;

/** `watch` and `leak` for each resource: a trend that is also large enough to matter. */
const TIERS = {
  watch: {
    growth: 'rising1d',
    span: 'in a day',
    verdict: 'It is still rising. Take a first set of profiles now, while there is no hurry.',
    summary: (words: string) => `${words} rising`,
  },
  leak: {
    growth: 'steady3d',
    span: 'in three days',
    verdict: 'It rose on each of the three days, without a restart, and does not slow down: a leak.',
    summary: (words: string) => `leak of ${words}`,
  },
} as const;

/** Alerts about any process, and about rules that see none. */
const RESTARTS_PER_HOUR = 3;

/** The start time moves by a second or two when the clock is set; three restarts lie farther apart. */
const MIN_RESTART_SPREAD_SECONDS = 60;

export function ruleGroups(options: RuleOptions): RuleGroup[] {
  const scope = scopeOf(options);
  const ofKubelets = options.component === 'kubelet';
  return [
    levelGroup(scope),
    ...(ofKubelets ? [densityGroup(scope)] : []),
    growthGroup(scope),
    ...(ofKubelets ? kubeletGroups(scope) : []),
    trendGroup(scope),
    ...limitGroups(scope),
    processGroup(scope),
  ];
}

/**
 * Levels of each process: the hourly floor, and the lowest of a day. The rules compare daily minima instead of fitting a
 * slope: minima have no daily season, a step moves just one of them, and they need only a few samples.
 *
 *     oakum:goroutines:floor1h   ->   oakum:goroutines:floor1d
 */
function levelGroup(scope: Scope): RuleGroup {
  const age = `time() - ${each(scope, ofTargets(scope, 'process_start_time_seconds'))}`;
  const rules: RecordingRule[] = [{ record: ageOf(scope), expr: age }];
  for (const { key, hourly } of TREND_RULES) rules.push(...floors(scope, key, hourly(scope)));
  if (scope.component === 'kubelet') rules.push(...floors(scope, 'pods', pods(scope)));
  return { name: 'oakum-levels', interval: RECORDING_INTERVAL, rules };
}

/** The name changed with Kubernetes 1.19. */
function pods(scope: Scope): string {
  return spellings('kubelet_running_pods')
    .map(name => `quantile_over_time(0.2, ${ofTargets(scope, name)}[1h])`)
    .join('\nor ');
}

function floors(scope: Scope, key: string, hourly: string): RecordingRule[] {
  const hour = recorded(scope, key, 'floor1h');
  return [
    { record: hour, expr: each(scope, hourly) },
    { record: recorded(scope, key, 'floor1d'), expr: `min_over_time(${hour}[1d])` },
  ];
}

function processGroup(scope: Scope): RuleGroup {
  return { name: 'oakum-processes', rules: [restartStorm(scope), seesNothing(scope)] };
}

function restartStorm(scope: Scope): AlertRule {
  const start = `${ofTargets(scope, 'process_start_time_seconds')}[1h]`;
  const spread = each(scope, `max_over_time(${start}) - min_over_time(${start})`);
  return alertOf(
    {
      name: 'OakumRestartStorm',
      tier: 'leak',
      expr: `${each(scope, `changes(${start})`)} >= ${RESTARTS_PER_HOUR}\nand ${spread} > ${MIN_RESTART_SPREAD_SECONDS}`,
      holdFor: '1m',
      summary: `${scope.subject}: {{ $value }} restarts in an hour`,
      description:
        'It started {{ $value }} times within an hour. Each start lists and syncs everything again; a process that is ' +
        'killed for memory while it does so will not come back by itself.',
      anchor: 'restart-storm',
    },
    scope,
  );
}

function seesNothing(scope: Scope): AlertRule {
  return alertOf(
    {
      name: 'OakumSeesNothing',
      tier: 'watch',
      expr: `absent(${ofTargets(scope, 'go_goroutines')})`,
      holdFor: '30m',
      summary: 'the rules of oakum see no process',
      description: 'No series matches the selector of these rules: nothing is watched. Make them with the right --job.',
      command: 'oakum rules --help',
      anchor: 'nothing-seen',
    },
    scope,
  );
}

function trendGroup(scope: Scope): RuleGroup {
  const rules = TREND_RULES.flatMap(resource => [
    trendAlert(resource, 'watch', scope),
    trendAlert(resource, 'leak', scope),
  ]);
  return { name: 'oakum-trends', rules };
}

function trendAlert(resource: TrendRule, tier: keyof typeof TIERS, scope: Scope): AlertRule {
  const { resource: words, alert, unit } = resource;
  const { span, verdict, summary } = TIERS[tier];
  const amount = unit === 'bytes' ? '{{ $value | humanize1024 }}B' : '{{ $value | humanize }}';
  const beyond = scope.component === 'kubelet' ? ' beyond what its pods explain' : '';
  return alertOf(
    {
      name: alert,
      tier,
      expr: condition(resource, tier, scope),
      holdFor: scope.holdFor,
      labels: { verdict: tier, resource: words },
      summary: `${scope.subject}: ${summary(words)}`,
      description: `The floor of ${words} grew by ${amount} ${span}${beyond}. ${verdict}`,
      anchor: words.toLowerCase().replaceAll(' ', '-'),
    },
    scope,
  );
}

function condition(resource: TrendRule, tier: keyof typeof TIERS, scope: Scope): string {
  const growth = recorded(scope, resource.key, TIERS[tier].growth);
  const { amount, share } = resource[tier];
  const material = `${growth} > ${amount}\nand ${growth} > ${share} * ${recorded(scope, resource.key, 'floor14d')}`;
  const mayPileUp = tier === 'leak' && resource.waitsForRuntime && scope.component === 'kubelet';
  return mayPileUp ? `${material}\nunless ${hungRuntime(scope)}` : material;
}

function growthGroup(scope: Scope): RuleGroup {
  const rules: RecordingRule[] = [];
  if (scope.component === 'kubelet')
    rules.push({ record: recorded(scope, 'pods', 'growth1d'), expr: grown('pods', scope) });
  for (const { key } of TREND_RULES) rules.push(...trendRules(key, scope));
  return { name: 'oakum-growth', interval: RECORDING_INTERVAL, rules };
}

function trendRules(key: string, scope: Scope): RecordingRule[] {
  const named = (operation: string): string => recorded(scope, key, operation);
  const growth = named('growth1d');
  const day = named('unexplained1d');
  const threeDays = named('unexplained3d');
  const wander = named('wander7d');
  const days = [day, daysAgo(day, 1), daysAgo(day, 2)];
  return [
    { record: growth, expr: `${grown(key, scope)}\nand ${ageOf(scope)} > ${settledAge(2 * DAY_SECONDS)}` },
    { record: day, expr: scope.component === 'kubelet' ? withoutPods(growth, key, scope) : growth },
    { record: threeDays, expr: days.join('\n+ ') },
    { record: named('floor14d'), expr: `min_over_time(${named('floor1d')}[14d:6h])` },
    { record: wander, expr: `clamp_min(-quantile_over_time(0.1, ${day}[7d:1h]), 0)` },
    {
      record: named('rising1d'),
      expr: both(
        day,
        `${day} > abs(${growth} - ${day})`,
        `${named('floor1h')} - ${daysAgo(named('floor1h'), 1)} > ${MIN_GOING_ON} * ${day}`,
        ...beyondWander(day, TIMES_WANDER, wander, scope),
      ),
    },
    {
      record: named('steady3d'),
      expr: both(
        threeDays,
        `${threeDays} > abs(${named('floor1d')} - ${daysAgo(named('floor1d'), 3)} - ${threeDays})`,
        ...days.map(part => `${part} > ${MIN_PART_OF_DAY} * ${threeDays}`),
        `${day} > ${MIN_PERSISTENCE} * ${days[2]}`,
        ...beyondWander(threeDays, 3 * TIMES_WANDER, wander, scope),
      ),
    },
  ];
}

function grown(key: string, scope: Scope): string {
  const level = recorded(scope, key, 'floor1d');
  return `${level} - ${daysAgo(level, 1)}`;
}

/** Pods explain nothing if there is no count of pods or it never changed. */
function withoutPods(growth: string, key: string, scope: Scope): string {
  const pods = recorded(scope, 'pods', 'growth1d');
  const explained = `${pods} * on (${scope.pool}) group_left () ${effectOfPods(scope, key)}`;
  return `${growth} - (\n  ${explained}\n  or 0 * ${growth}\n)`;
}

function beyondWander(growth: string, times: number, wander: string, { pool }: Scope): string[] {
  const fleet = `quantile by (${pool}) (0.5, ${wander})`;
  return [`${growth} > ${times} * ${wander}`, `${growth} > on (${pool}) group_left () (${times} * ${fleet})`];
}

function both(...conditions: readonly string[]): string {
  return conditions.join('\nand ');
}

function densityGroup(scope: Scope): RuleGroup {
  const settled = `and ${ageOf(scope)} > ${settledAge(SPAN_SECONDS)}`;
  const pods = moved(scope, 'pods');
  const square = recorded(scope, 'pods', 'square6h');
  const rules: RecordingRule[] = [{ record: square, expr: `${pods} ^ 2 ${settled}` }];
  for (const { key } of TREND_RULES) {
    const cross = recorded(scope, `${key}_pods`, 'cross6h');
    const perTarget = `sum_over_time(${cross}[7d:1h]) / (sum_over_time(${square}[7d:1h]) > ${MIN_MOVEMENT})`;
    rules.push(
      { record: cross, expr: `${moved(scope, key)} * ${pods} ${settled}` },
      { record: effectOfPods(scope, key), expr: `quantile by (${scope.pool}) (0.5, clamp_min(${perTarget}, 0))` },
    );
  }
  return { name: 'oakum-density', interval: RECORDING_INTERVAL, rules };
}

function effectOfPods(scope: Scope, key: string): string {
  return recorded(scope, `${key}_per_pod`, 'effect7d');
}

function moved(scope: Scope, key: string): string {
  const level = recorded(scope, key, 'floor1h');
  return `(${level} - ${level} offset 6h)`;
}

function kubeletGroups(scope: Scope): RuleGroup[] {
  const records = [runtimeErrors(scope), ...workload(scope)];
  const alerts = [plegStuck(scope), runtimeErrorsAlert(scope), workloadAlert(scope)];
  return [
    { name: 'oakum-kubelet', interval: RECORDING_INTERVAL, rules: records },
    { name: 'oakum-kubelet-alerts', rules: alerts },
  ];
}

function plegStuck(scope: Scope): AlertRule {
  // Zero until the first relist succeeds; with evented PLEG a kubelet relists only every five minutes.
  const seen = each(scope, ofTargets(scope, 'kubelet_pleg_last_seen_seconds'));
  const started = each(scope, ofTargets(scope, 'process_start_time_seconds'));
  const evented = ofTargets(scope, 'kubernetes_feature_enabled', 'name="EventedPLEG"');
  return alertOf(
    {
      name: 'OakumPlegStuck',
      tier: 'leak',
      expr:
        `time() - (${seen} > 0 or ${started} and ${seen}) > ${PLEG_SECONDS}\n` +
        `unless on (${scope.target}) ${evented} == 1`,
      holdFor: '1m',
      summary: `${scope.subject}: pods were last listed {{ $value | humanizeDuration }} ago`,
      description:
        'The kubelet asks the container runtime for all pods every second; the last answer is ' +
        '{{ $value | humanizeDuration }} old. At 3 minutes the node is NotReady. The runtime hangs, or the kubelet does.',
      anchor: 'pleg',
    },
    scope,
  );
}

function runtimeErrors(scope: Scope): RecordingRule {
  const rate = (metric: string): string => `sum by (${scope.target}) (rate(${ofTargets(scope, metric)}[1h]))`;
  const expr = `${rate('kubelet_runtime_operations_errors_total')}\n/ (${rate('kubelet_runtime_operations_total')} > 0)`;
  return { record: recorded(scope, ...RUNTIME_ERRORS), expr };
}

/** Kubelets whose container runtime fails or hangs. */
function hungRuntime(scope: Scope): string {
  return `${recorded(scope, ...RUNTIME_ERRORS)} > ${HUNG_RUNTIME_SHARE}`;
}

function runtimeErrorsAlert(scope: Scope): AlertRule {
  return alertOf(
    {
      name: 'OakumContainerRuntimeErrors',
      tier: 'watch',
      expr: hungRuntime(scope),
      holdFor: '15m',
      summary: `${scope.subject}: the container runtime fails`,
      description:
        '{{ $value | humanizePercentage }} of the calls to the container runtime fail. Goroutines, threads and file ' +
        'descriptors that pile up behind them are not a leak of the kubelet, and do not page while this lasts.',
      anchor: 'container-runtime',
    },
    scope,
  );
}

/** Memory of all pods of the node, counted once: both cAdvisor and /metrics/resource export it. */
function workload(scope: Scope): RecordingRule[] {
  const containers = ofContainers(scope, 'container_memory_working_set_bytes', 'container!~"|POD", pod!=""');
  const installed = `max by (${scope.place}) (${ofContainers(scope, 'machine_memory_bytes')})`;
  const level = recorded(scope, 'workload_bytes', 'sum');
  return [
    {
      record: level,
      expr: `sum by (${scope.place}) (max by (${scope.place}, namespace, pod, container) (${containers}))`,
    },
    {
      record: recorded(scope, 'workload_bytes', 'seconds_to_limit1d'),
      expr: `(${installed} - ${level}) / (deriv(${level}[1d]) > 0)`,
    },
  ];
}

function workloadAlert(scope: Scope): AlertRule {
  const own = `max by (${scope.place}) (deriv(${ofTargets(scope, 'process_resident_memory_bytes')}[1d]))`;
  return alertOf(
    {
      name: 'OakumWorkloadMemoryRunningOut',
      tier: 'watch',
      expr:
        `${recorded(scope, 'workload_bytes', 'seconds_to_limit1d')} < ${3 * DAY_SECONDS}\n` +
        `and ${own} < ${OWN_SHARE} * deriv(${recorded(scope, 'workload_bytes', 'sum')}[1d])`,
      holdFor: '1h',
      summary: `{{ $labels.${scope.nodeLabel} }}: its pods fill the memory within 3 days, not the kubelet`,
      description:
        'At the rate of the last day the pods take all memory of the node in {{ $value | humanizeDuration }}; ' +
        'the kubelet has less than a tenth of that growth.',
      command: 'kubectl top pod -A --sort-by=memory',
      anchor: 'workload',
    },
    scope,
  );
}
