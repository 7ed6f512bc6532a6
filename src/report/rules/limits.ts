/**
 * Time to a known limit: (limit - level) / slope, with the slope of a day for the far horizon and of six hours for the
 * near one. A horizon is at most three times the span of the slope: a rise of one hour is no forecast for a week.
 */
import { GO_THREAD_LIMIT } from '../../evidence/resource.ts';
import {
  type AlertRule,
  type RecordingRule,
  type RuleGroup,
  alertOf,
  ageOf,
  recorded,
  RECORDING_INTERVAL,
  DAY_SECONDS,
  settledAge,
  each,
  ofContainers,
  ofTargets,
  type Scope,
} from './rule.ts';

/** Above this the limit of the Go runtime is not set: its default is math.MaxInt64. */
const NO_MEMORY_LIMIT = 2 ** 62;
const NEAR_OOM_SHARE = 0.9;

const KUBELET_CGROUP = 'id=~"/(.+/)?kubelet[.]service"';

interface Limited {
  readonly key: string;
  readonly alert: string;
  readonly words: string;
  readonly limitWords: string;
  readonly limit: (scope: Scope) => string;
  /** Labels that the level has. */
  readonly labels: (scope: Scope) => string;
}

const ofTarget = ({ target }: Scope): string => target;
const ofPlace = ({ place }: Scope): string => place;

const LIMITED: readonly Limited[] = [
  {
    key: 'open_fds',
    alert: 'OakumFileDescriptorsRunningOut',
    words: 'file descriptors',
    limitWords: 'process_max_fds',
    limit: scope => each(scope, ofTargets(scope, 'process_max_fds')),
    labels: ofTarget,
  },
  {
    key: 'threads',
    alert: 'OakumThreadsRunningOut',
    words: 'threads',
    limitWords: `${GO_THREAD_LIMIT} threads, where the Go runtime ends the program`,
    limit: () => String(GO_THREAD_LIMIT),
    labels: ofTarget,
  },
  {
    key: 'live_heap_bytes',
    alert: 'OakumGoMemoryLimitRunningOut',
    words: 'live heap',
    limitWords: 'GOMEMLIMIT, where the collector takes the CPU',
    limit: scope => `(${each(scope, ofTargets(scope, 'go_gc_gomemlimit_bytes'))} < ${NO_MEMORY_LIMIT})`,
    labels: ofTarget,
  },
  {
    key: 'memory_bytes',
    alert: 'OakumMemoryRunningOut',
    words: 'memory',
    limitWords: 'the memory limit of its cgroup, where the kernel kills it',
    limit: memoryLimit,
    labels: ofPlace,
  },
];

const HORIZONS = [
  { tier: 'watch', window: '1d', windowSeconds: DAY_SECONDS, horizon: '3 days', seconds: 3 * DAY_SECONDS },
  { tier: 'leak', window: '6h', windowSeconds: DAY_SECONDS / 4, horizon: '12 hours', seconds: DAY_SECONDS / 2 },
] as const;

export function limitGroups(scope: Scope): RuleGroup[] {
  const memory = `min_over_time(${workingSet(scope)}[1h])`;
  const records: RecordingRule[] = [
    {
      record: recorded(scope, 'memory_bytes', 'floor1h'),
      expr: `max by (${scope.place}) (${memory})\nand on (${scope.place}) ${ageOf(scope)}`,
    },
    ...LIMITED.flatMap(limited =>
      HORIZONS.map(({ window, windowSeconds }) => timeLeft(limited, window, windowSeconds, scope)),
    ),
  ];
  const alerts = [...LIMITED.flatMap(limited => runningOut(limited, scope)), nearOom(scope)];
  return [
    { name: 'oakum-time-to-limit', interval: RECORDING_INTERVAL, rules: records },
    { name: 'oakum-limits', rules: alerts },
  ];
}

function timeLeft({ key, limit, labels }: Limited, window: string, windowSeconds: number, scope: Scope): RecordingRule {
  const level = recorded(scope, key, 'floor1h');
  return {
    record: recorded(scope, key, `seconds_to_limit${window}`),
    expr:
      `(${limit(scope)} - ${level}) / (deriv(${level}[${window}]) > 0)\n` +
      `and on (${labels(scope)}) ${ageOf(scope)} > ${settledAge(windowSeconds)}`,
  };
}

function runningOut({ key, alert, words, limitWords }: Limited, scope: Scope): AlertRule[] {
  return HORIZONS.map(({ tier, window, horizon, seconds }) =>
    alertOf(
      {
        name: alert,
        tier,
        expr: `${recorded(scope, key, `seconds_to_limit${window}`)} < ${seconds}`,
        holdFor: '1h',
        summary: `${scope.subject}: ${words} at the limit within ${horizon}`,
        description: `In {{ $value | humanizeDuration }}, at the rate of the last ${window}, it reaches ${limitWords}.`,
        anchor: 'time-to-limit',
      },
      scope,
    ),
  );
}

function nearOom(scope: Scope): AlertRule {
  const now = `max by (${scope.place}) (${workingSet(scope)})`;
  return alertOf(
    {
      name: 'OakumNearOom',
      tier: 'leak',
      expr: `${now} / ${memoryLimit(scope)} > ${NEAR_OOM_SHARE}\nand on (${scope.place}) ${ageOf(scope)}`,
      holdFor: '5m',
      summary: `${scope.subject}: about to be killed for memory`,
      description:
        'The working set is at {{ $value | humanizePercentage }} of the limit of its cgroup. ' +
        'A restart loses the evidence: capture it before the kernel kills the process.',
      anchor: 'near-oom',
    },
    scope,
  );
}

function memoryLimit(scope: Scope): string {
  const limit = ofContainers(scope, 'container_spec_memory_limit_bytes', cgroup(scope));
  return `(max by (${scope.place}) (${limit}) > 0)`;
}

function workingSet(scope: Scope): string {
  return ofContainers(scope, 'container_memory_working_set_bytes', cgroup(scope));
}

function cgroup({ component }: Scope): string {
  return component === 'kubelet' ? KUBELET_CGROUP : 'container!="", pod!=""';
}
