/** What the available endpoints can prove, and what is missing for the rest. */
import type { EndpointCheck, PrometheusCheck, ProcessFacts, Unproved } from './doctor.ts';
import type { TargetKind } from '../../evidence/target.ts';

export interface Observed {
  readonly kind: TargetKind;
  readonly endpoints: readonly EndpointCheck[];
  readonly process: ProcessFacts | undefined;
  readonly prometheus: PrometheusCheck | undefined;
}

interface Proof {
  readonly what: string;
  /** Undefined when it can be proved. */
  readonly lacks: (observed: Observed) => string | undefined;
  readonly kinds?: readonly TargetKind[];
}

const HEAP = '/debug/pprof/heap';
const GOROUTINE = '/debug/pprof/goroutine';

const PROOFS: readonly Proof[] = [
  {
    what: 'whether memory or goroutines grow, and how fast (over ten minutes and more)',
    lacks: observed =>
      hasMetrics(observed) || hasHistory(observed) || hasProfiles(observed)
        ? undefined
        : 'neither metrics, nor profiles, nor a Prometheus answer',
  },
  {
    what: 'where the memory is: live heap, unused, stacks, not returned to the system',
    lacks: observed =>
      lacksSeries(
        observed,
        'go_memory_classes_heap_objects_bytes',
        'the metrics have no go_memory_classes_* (Kubernetes before 1.26)',
      ),
  },
  {
    what: 'whether it follows the number of pods',
    kinds: ['node'],
    lacks: observed => lacksSeries(observed, 'kubelet_running_pods', 'the metrics have no kubelet_running_pods'),
  },
  {
    what: 'whether it was restarted in between',
    lacks: observed =>
      lacksSeries(observed, 'process_start_time_seconds', 'the metrics have no process_start_time_seconds'),
  },
  {
    what: 'which code holds the memory',
    lacks: ({ endpoints }) => (isAnswered(endpoints, HEAP) ? undefined : `${HEAP} does not answer`),
  },
  {
    what: 'where in the code goroutines hang, since when and why',
    lacks: ({ endpoints }) => (isAnswered(endpoints, GOROUTINE) ? undefined : `${GOROUTINE} does not answer`),
  },
  {
    what: 'which known leak it is, by its stacks',
    lacks: observed =>
      hasProfiles(observed) ? undefined : 'without profiles, version and shape can only make a known leak possible',
  },
  {
    what: 'what happened before today',
    lacks: observed =>
      hasHistory(observed) ? undefined : 'no Prometheus with its series was given (--prometheus URL)',
  },
];

export function provable(observed: Observed): { canProve: string[]; cannotProve: Unproved[] } {
  const canProve: string[] = [];
  const cannotProve: Unproved[] = [];
  for (const { what, lacks, kinds } of PROOFS) {
    if (kinds !== undefined && !kinds.includes(observed.kind)) continue;
    const because = lacks(observed);
    if (because === undefined) canProve.push(what);
    else cannotProve.push({ what, because });
  }
  return { canProve, cannotProve };
}

function hasMetrics({ process }: Observed): boolean {
  return process !== undefined && !process.missingSeries.includes('go_goroutines');
}

function hasProfiles({ endpoints }: Observed): boolean {
  return isAnswered(endpoints, HEAP) || isAnswered(endpoints, GOROUTINE);
}

function hasHistory({ prometheus }: Observed): boolean {
  return (
    prometheus !== undefined &&
    prometheus.knowsTarget !== false &&
    prometheus.series.some(({ name, present }) => name === 'go_goroutines' && present)
  );
}

function lacksSeries({ process }: Observed, name: string, because: string): string | undefined {
  if (process === undefined) return '/metrics does not answer';
  return process.missingSeries.includes(name) ? because : undefined;
}

function isAnswered(endpoints: readonly EndpointCheck[], path: string): boolean {
  return endpoints.some(endpoint => endpoint.path === path && endpoint.answers === 'yes');
}
