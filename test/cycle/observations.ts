/** Observations for tests of the OOM cycle. */
import type {
  ConditionObservation,
  CycleMetric,
  CycleObservation,
  KubeEventObservation,
  LogEvent,
  OomCycle,
  OomKill,
  UnitChange,
} from '../../src/evidence/cycle/cycle.ts';

export const T: number = Date.UTC(2026, 10, 15, 7, 0, 0) / 1000;
export const MIB: number = 2 ** 20;
export const HOUR = 3600;

export const kill = (more: Partial<OomKill> = {}): OomKill => ({
  process: 'kubelet',
  pid: 989,
  scope: 'memcg',
  limitCgroup: '/podruntime.slice',
  processCgroup: '/podruntime.slice/kubelet.service',
  limitBytes: 2048 * MIB,
  residentBytes: 2000 * MIB,
  oomScoreAdj: -999,
  invokedBy: 'kubelet',
  ...more,
});
export const log = (atSeconds: number | undefined, event: LogEvent, source = 'kern.log:1'): CycleObservation => ({
  kind: 'log',
  atSeconds,
  source,
  event,
});
export const killed = (at: number | undefined, more: Partial<OomKill> = {}, source?: string): CycleObservation =>
  log(at, { kind: 'oom-kill', kill: kill(more) }, source);
export const unit = (at: number, change: UnitChange, name = 'kubelet.service'): CycleObservation =>
  log(at, { kind: 'unit', unit: name, change }, 'journal.log:1');
export const sigkill: Extract<UnitChange, { kind: 'exited' }> = {
  kind: 'exited',
  code: 'killed',
  status: 9,
  name: 'KILL',
};
export const event = (
  atSeconds: number,
  reason: string,
  more: Partial<KubeEventObservation> = {},
): CycleObservation => ({
  kind: 'kube-event',
  atSeconds,
  source: 'events.json',
  reason,
  message: '',
  component: 'kubelet',
  lastSeconds: atSeconds,
  count: 1,
  objectKind: 'Node',
  kill: undefined,
  ...more,
});
export const condition = (
  atSeconds: number,
  type: string,
  status: string,
  more: Partial<ConditionObservation> = {},
): CycleObservation => ({
  kind: 'condition',
  atSeconds,
  source: 'nodes.json',
  type,
  status,
  reason: '',
  message: '',
  sinceSeconds: atSeconds,
  ...more,
});
export const scrape = (
  atSeconds: number,
  values: Partial<Record<CycleMetric, number>>,
  isExact = true,
): CycleObservation => ({
  kind: 'metrics',
  atSeconds,
  source: 'metrics.prom',
  values,
  isExact,
});

/** A quiet life: one relist of 5 ms a second, a request every ten seconds, and a storm in its first `stormSeconds`. */
export function life(
  from: number,
  to: number,
  stormSeconds = 0,
  sizeBytes = (_: number): number => 100 * MIB,
): CycleObservation[] {
  const scrapes: CycleObservation[] = [];
  for (let at = from + 10; at <= to; at += 10) {
    const age = at - from;
    const stormed = Math.min(age, stormSeconds);
    scrapes.push(
      scrape(at, {
        startSeconds: from,
        relists: age,
        relistSeconds: 0.005 * (age - stormed) + 2 * stormed,
        workerRuns: age,
        workerSeconds: 0.01 * age,
        apiRequests: 0.1 * (age - stormed) + 50 * stormed,
        apiErrors: 5 * stormed,
        plegLastSeenSeconds: at - 1,
        residentBytes: sizeBytes(at),
      }),
    );
  }
  return scrapes;
}

export const stagesOf = (cycle: OomCycle): string[] =>
  cycle.timeline.flatMap(({ stage }) => (stage === null ? [] : [stage]));
export const textsOf = (cycle: OomCycle): string => cycle.timeline.map(({ text }) => text).join('\n');
