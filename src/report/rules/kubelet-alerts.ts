/** Alerts about kubelets that are not leaks, though they may look like one or follow one. */
import { alertOf } from './alert.ts';
import { recorded, RECORDING_INTERVAL } from './recorded.ts';
import type { AlertRule, RecordingRule, RuleGroup } from './rule.ts';
import { each, ofContainers, ofTargets, type Scope } from './scope.ts';
import { DAY_SECONDS } from './windows.ts';

const RUNTIME_ERRORS = ['container_runtime_errors', 'ratio1h'] as const;
/** Share of all calls within an hour. */
const HUNG_RUNTIME_SHARE = 0.1;

/** At 180 seconds a kubelet reports itself unhealthy and its node NotReady. */
const PLEG_SECONDS = 120;
/** Share of the pods' growth; a kubelet with less did not fill the node. */
const OWN_SHARE = 0.1;

export function kubeletGroups(scope: Scope): RuleGroup[] {
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
export function hungRuntime(scope: Scope): string {
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
