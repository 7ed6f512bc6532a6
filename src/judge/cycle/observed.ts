/** Observations of one target, without duplicates and in a fixed order: repeated or late input changes nothing. */
import type {
  BootObservation,
  ConditionObservation,
  CycleObservation,
  KubeEventObservation,
  LogObservation,
  MetricsObservation,
} from '../../evidence/cycle/cycle.ts';

export interface Observed {
  readonly metrics: readonly MetricsObservation[];
  readonly kubeEvents: readonly KubeEventObservation[];
  readonly conditions: readonly ConditionObservation[];
  readonly boots: readonly BootObservation[];
  readonly logs: readonly LogObservation[];
  /** The latest time at which anything was observed. */
  readonly lastSeconds: number | undefined;
}

export function observed(observations: Iterable<CycleObservation>): Observed {
  const byKey = new Map<string, CycleObservation>();
  for (const one of observations) byKey.set(JSON.stringify(one), one);
  const sorted = [...byKey]
    .sort(([keyA, a], [keyB, b]) => (a.atSeconds ?? Infinity) - (b.atSeconds ?? Infinity) || (keyA < keyB ? -1 : 1))
    .map(([, one]) => one);
  const isExact = (one: CycleObservation): boolean => one.kind !== 'metrics' || one.isExact;
  // The date of a file may be that of a copy, made long after everything else.
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

/** Without duplicates, in the order of first appearance. */
export function distinct(texts: Iterable<string>): string[] {
  return [...new Set(texts)];
}
