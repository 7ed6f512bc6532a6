/** Observations of one target, each once and in an order of their own, so that what comes in twice or late changes nothing. */
import type {
  BootObservation,
  ConditionObservation,
  CycleObservation,
  KubeEventObservation,
  LogObservation,
  MetricsObservation,
} from '../../model/cycle.ts';

export interface Observed {
  readonly metrics: readonly MetricsObservation[];
  readonly kubeEvents: readonly KubeEventObservation[];
  readonly conditions: readonly ConditionObservation[];
  readonly boots: readonly BootObservation[];
  readonly logs: readonly LogObservation[];
  /** The latest time that anything was seen. */
  readonly lastSeconds: number | undefined;
}

export function observed(observations: Iterable<CycleObservation>): Observed {
  const byKey = new Map<string, CycleObservation>();
  for (const one of observations) byKey.set(JSON.stringify(one), one);
  const sorted = [...byKey]
    .sort(([keyA, a], [keyB, b]) => (a.atSeconds ?? Infinity) - (b.atSeconds ?? Infinity) || (keyA < keyB ? -1 : 1))
    .map(([, one]) => one);
  const isExact = (one: CycleObservation): boolean => one.kind !== 'metrics' || one.isExact;
  // The date of a file may be that of its copy, long after everything.
  const timed = sorted.filter(({ atSeconds }) => atSeconds !== undefined);
  return {
    metrics: sorted.filter(one => one.kind === 'metrics'),
    kubeEvents: sorted.filter(one => one.kind === 'kube-event'),
    conditions: sorted.filter(one => one.kind === 'condition'),
    boots: sorted.filter(one => one.kind === 'boot'),
    logs: sorted.filter(one => one.kind === 'log'),
    lastSeconds: (timed.findLast(isExact) ?? timed.at(-1))?.atSeconds,
  };
}

/** Without repetition, in the order of their first. */
export function distinct(texts: Iterable<string>): string[] {
  return [...new Set(texts)];
}
