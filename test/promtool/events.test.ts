/** Limits and events on made-up recordings, with the text that the person on call receives. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ruleGroups } from '../../src/report/rules/rule-set.ts';
import { type AlertCheck, labelsOf, type Process, testRules, withPromtool } from './recording.ts';
import { OPTIONS } from './options.ts';

const GROUPS = ruleGroups(OPTIONS);
const GIB = 2 ** 30;
const SERVICE = 'id="/system.slice/kubelet.service"';
const workingSet = `container_memory_working_set_bytes{${SERVICE}}`;
const memoryLimit = `container_spec_memory_limit_bytes{${SERVICE}}`;

interface Expected {
  readonly name: string;
  readonly severity: string;
  readonly summary: string;
  readonly description: string;
  readonly runbook?: string;
  readonly anchor: string;
  /** Without the job if the series is from cAdvisor. */
  readonly job?: boolean;
}

function alertsAt(alertname: string, atHours: number, ...expected: readonly Expected[]): AlertCheck {
  const alerts = expected.map(({ name, severity, summary, description, anchor, job = true, runbook }) => {
    const { job: its, ...place } = labelsOf(name);
    return {
      exp_labels: { ...place, ...(job ? { job: its } : {}), severity },
      exp_annotations: {
        summary,
        description,
        runbook: runbook ?? `oakum triage node/${place['node']}`,
        runbook_url: `docs/rules.md#${anchor}`,
      },
    };
  });
  return { alertname, atHours, alerts };
}

function problems(
  processes: Readonly<Record<string, Process>>,
  hours: number,
  stepMinutes: number,
  checks: readonly AlertCheck[],
): string {
  return testRules(GROUPS, { processes, hours, stepMinutes }, checks);
}

describe('limits', withPromtool, () => {
  const started: Process = { process_start_time_seconds: () => 0, process_max_fds: () => 20_000 };

  it('descriptors: a ticket three days ahead, a page twelve hours ahead', () => {
    const processes = {
      // 200 an hour: 18,000 in the last hour, ten hours left.
      'prod/fast': { ...started, process_open_fds: (hours: number) => 10_000 + 200 * hours },
      // 150 an hour: 14,000 in the last hour, forty hours left.
      'prod/slow': { ...started, process_open_fds: (hours: number) => 8_000 + 150 * hours },
      'prod/flat': { ...started, process_open_fds: () => 19_000 },
      'prod/unlimited': { process_start_time_seconds: () => 0, process_open_fds: (hours: number) => 500 * hours },
    };
    const ahead = (name: string, left: string, tier: 'watch' | 'leak'): Expected => ({
      name,
      severity: tier === 'leak' ? 'critical' : 'warning',
      summary: `the kubelet of ${name.slice(5)}: file descriptors at the limit within ${tier === 'leak' ? '12 hours' : '3 days'}`,
      description: `In ${left}, at the rate of the last ${tier === 'leak' ? '6h' : '1d'}, it reaches process_max_fds.`,
      anchor: 'time-to-limit',
    });
    const checks = [
      alertsAt('OakumFileDescriptorsRunningOut', 30),
      alertsAt(
        'OakumFileDescriptorsRunningOut',
        41,
        ahead('prod/fast', '10h 0m 0s', 'watch'),
        ahead('prod/slow', '1d 16h 0m 0s', 'watch'),
        ahead('prod/fast', '10h 0m 0s', 'leak'),
      ),
    ];
    assert.equal(problems(processes, 41, 20, checks), '');
  });

  it("memory: the cgroup's limit, GOMEMLIMIT if set, and the last tenth before the kill", () => {
    const rising = (hours: number): number => Math.round(GIB * (0.5 + hours / 100));
    const processes = {
      'prod/a': { ...started, [workingSet]: rising, [memoryLimit]: () => GIB },
      'prod/no-limit': { ...started, [workingSet]: rising, [memoryLimit]: () => 0 },
      'prod/go': { ...started, go_gc_heap_live_bytes: rising, go_gc_gomemlimit_bytes: () => GIB + 100_000 },
      'prod/go-default': { ...started, go_gc_heap_live_bytes: rising, go_gc_gomemlimit_bytes: () => 2 ** 63 },
    };
    const near: Expected = {
      name: 'prod/a',
      severity: 'critical',
      summary: 'the kubelet of a: about to be killed for memory',
      description:
        'The working set is at 95% of the limit of its cgroup. ' +
        'A restart loses the evidence: capture it before the kernel kills the process.',
      anchor: 'near-oom',
      job: false,
    };
    const watch = { severity: 'warning', anchor: 'time-to-limit' };
    const memory: Expected = {
      ...watch,
      name: 'prod/a',
      job: false,
      summary: 'the kubelet of a: memory at the limit within 3 days',
      description:
        'In 16h 0m 0s, at the rate of the last 1d, it reaches the memory limit of its cgroup, where the kernel kills it.',
    };
    const go: Expected = {
      ...watch,
      name: 'prod/go',
      summary: 'the kubelet of go: live heap at the limit within 3 days',
      description:
        'In 15h 30m 33s, at the rate of the last 1d, it reaches GOMEMLIMIT, where the collector takes the CPU.',
    };
    const checks = [
      alertsAt('OakumNearOom', 39),
      alertsAt('OakumNearOom', 45, near),
      alertsAt('OakumMemoryRunningOut', 35, memory),
      alertsAt('OakumGoMemoryLimitRunningOut', 35, go),
    ];
    assert.equal(problems(processes, 45, 20, checks), '');
  });

  it('memory of pods that fills the node is reported if the kubelet has no part in it', () => {
    const pods = 'container_memory_working_set_bytes{namespace="shop", pod="cart", container="app"}';
    const rising = (hours: number): number => Math.round(GIB * (2 + hours / 10));
    const node: Process = { ...started, [pods]: rising, machine_memory_bytes: () => 8 * GIB };
    const processes = {
      'prod/workload': { ...node, process_resident_memory_bytes: () => GIB / 10 },
      'prod/both': { ...node, process_resident_memory_bytes: (hours: number) => Math.round((GIB * hours) / 20) },
    };
    const expected: Expected = {
      name: 'prod/workload',
      severity: 'warning',
      summary: 'workload: its pods fill the memory within 3 days, not the kubelet',
      description:
        'At the rate of the last day the pods take all memory of the node in 1d 6h 0m 0s; ' +
        'the kubelet has less than a tenth of that growth.',
      runbook: 'kubectl top pod -A --sort-by=memory',
      anchor: 'workload',
      job: false,
    };
    const checks = [alertsAt('OakumWorkloadMemoryRunningOut', 30, expected)];
    assert.equal(problems(processes, 30, 20, checks), '');
  });
});

describe('events', withPromtool, () => {
  const start = 1000;

  it('pods that are no longer listed, or never were', () => {
    const at = (hours: number): number => hours * 3600;
    const processes = {
      'prod/stuck': {
        process_start_time_seconds: () => start,
        kubelet_pleg_last_seen_seconds: (hours: number) => Math.min(at(hours), 3600),
      },
      'prod/never': { process_start_time_seconds: () => 3600, kubelet_pleg_last_seen_seconds: () => 0 },
      'prod/fine': {
        process_start_time_seconds: () => start,
        kubelet_pleg_last_seen_seconds: (hours: number) => at(hours) - 1,
      },
      'prod/evented': {
        process_start_time_seconds: () => start,
        kubelet_pleg_last_seen_seconds: (hours: number) => Math.min(at(hours), 3600),
        'kubernetes_feature_enabled{name="EventedPLEG"}': () => 1,
      },
    };
    const stuck = (name: string): Expected => ({
      name,
      severity: 'critical',
      summary: `the kubelet of ${name.slice(5)}: pods were last listed 6m 0s ago`,
      description:
        'The kubelet asks the container runtime for all pods every second; the last answer is 6m 0s old. ' +
        'At 3 minutes the node is NotReady. The runtime hangs, or the kubelet does.',
      anchor: 'pleg',
    });
    const checks = [
      alertsAt('OakumPlegStuck', 1),
      alertsAt('OakumPlegStuck', 1.1, stuck('prod/stuck'), stuck('prod/never')),
    ];
    assert.equal(problems(processes, 1.1, 1, checks), '');
  });

  it('a storm of restarts, as opposed to an adjusted clock', () => {
    const processes = {
      'prod/storm': { process_start_time_seconds: (hours: number) => start + Math.floor(hours * 5) * 720 },
      'prod/clock': { process_start_time_seconds: (hours: number) => start + (Math.floor(hours * 60) % 2) },
      'prod/once': { process_start_time_seconds: (hours: number) => (hours < 1 ? start : 3600) },
    };
    const storm: Expected = {
      name: 'prod/storm',
      severity: 'critical',
      summary: 'the kubelet of storm: 5 restarts in an hour',
      description:
        'It started 5 times within an hour. Each start lists and syncs everything again; a process that is ' +
        'killed for memory while it does so will not come back by itself.',
      anchor: 'restart-storm',
    };
    const checks = [alertsAt('OakumRestartStorm', 0.5), alertsAt('OakumRestartStorm', 1.5, storm)];
    assert.equal(problems(processes, 1.5, 1, checks), '');
  });

  it('a container runtime that fails', () => {
    const calls = (failing: number): Process => ({
      'kubelet_runtime_operations_total{operation_type="exec_sync"}': hours => hours * 3600,
      'kubelet_runtime_operations_errors_total{operation_type="exec_sync"}': hours => hours * 3600 * failing,
    });
    const failing: Expected = {
      name: 'prod/failing',
      severity: 'warning',
      summary: 'the kubelet of failing: the container runtime fails',
      description:
        '25% of the calls to the container runtime fail. Goroutines, threads and file ' +
        'descriptors that pile up behind them are not a leak of the kubelet, and do not page while this lasts.',
      anchor: 'container-runtime',
    };
    const processes = { 'prod/failing': calls(0.25), 'prod/fine': calls(0.01) };
    assert.equal(problems(processes, 1, 2, [alertsAt('OakumContainerRuntimeErrors', 1, failing)]), '');
  });

  it('rules that match nothing', () => {
    const nothing = {
      exp_labels: { severity: 'warning' },
      exp_annotations: {
        summary: 'the rules of oakum see no process',
        description:
          'No series matches the selector of these rules: nothing is watched. Make them with the right --job.',
        runbook: 'oakum rules --help',
        runbook_url: 'docs/rules.md#nothing-seen',
      },
    };
    const seen = { 'prod/a': { go_goroutines: () => 300 } };
    assert.equal(problems(seen, 1, 5, [alertsAt('OakumSeesNothing', 1)]), '');
    const unseen = { 'prod/a': { process_max_fds: () => 300 } };
    assert.equal(problems(unseen, 1, 5, [{ alertname: 'OakumSeesNothing', atHours: 1, alerts: [nothing] }]), '');
  });
});
