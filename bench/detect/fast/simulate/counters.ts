/** The counters that a process exposes, from its work in each minute; they start at 0 in every life. */
import type { Dice } from '../../simulate/dice.ts';
import type { Column } from './columns.ts';
import type { Course } from './course.ts';
import type { ProcessTraits } from './process-traits.ts';

const REQUESTS_PER_MINUTE = 10;
const REQUESTS_PER_POD_MINUTE = 0.7;
const PROBES_PER_POD_MINUTE = 6;
const CALLS_PER_MINUTE = 120;
const CALLS_PER_POD_MINUTE = 1;
const CALLS_PER_START = 12;
const FAILED_SHARE = 0.0005;
const CONTAINERS_PER_POD = 1.6;

export function countersOf(course: Course, traits: ProcessTraits, dice: Dice): Map<string, Column> {
  const { pods, starts, failedCalls, reconnects } = course;
  const counters = new Map<string, Column>();
  const add = (metric: string, inMinute: (minute: number) => number): void => {
    counters.set(metric, counted(course, inMinute));
  };
  const cpuShare = dice.logUniform(0.01, 0.4);
  add('process_cpu_seconds_total', minute => 60 * cpuShare + 0.05 * pods[minute] + 0.5 * starts[minute]);
  if (!traits.showsPods) return counters;
  const reconnectsPerMinute = dice.logUniform(0.1, 2) / 60;
  const calls = (minute: number): number =>
    CALLS_PER_MINUTE + CALLS_PER_POD_MINUTE * pods[minute] + CALLS_PER_START * starts[minute];
  add('kubelet_started_pods_total', minute => starts[minute]);
  add('kubelet_started_containers_total', minute => starts[minute] * CONTAINERS_PER_POD);
  add('prober_probe_total', minute => PROBES_PER_POD_MINUTE * pods[minute]);
  add('rest_client_requests_total', minute => REQUESTS_PER_MINUTE + REQUESTS_PER_POD_MINUTE * pods[minute]);
  add('rest_client_transport_create_calls_total', minute => reconnects[minute] + dice.poisson(reconnectsPerMinute));
  add('kubelet_runtime_operations_total', calls);
  add('kubelet_runtime_operations_errors_total', minute => failedCalls[minute] + FAILED_SHARE * calls(minute));
  return counters;
}

function counted({ lives, minutes }: Course, inMinute: (minute: number) => number): Column {
  const column = new Float64Array(minutes);
  const begins = new Set(lives.map(({ begin }) => Math.ceil(begin)));
  // Before the record it worked as in the first minute.
  let sum = Math.max(0, -lives[0].begin) * inMinute(0);
  for (let minute = 0; minute < minutes; minute++) {
    if (begins.has(minute)) sum = 0;
    sum += inMinute(minute);
    column[minute] = Math.round(sum * 100) / 100;
  }
  return column;
}
