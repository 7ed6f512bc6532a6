/**
 * The verdict on one process. `healthy` is a claim about both goroutines and heap, so it needs both to have been judged
 * over some time; anything less is `unknown`, whatever did not grow.
 */
import type { MetricGrowth } from '../../analysis/growth/metric-growth.ts';
import type { Finding } from '../../model/analysis.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { ProcessEvidence, TableAt } from '../../evidence/snapshots/process-evidence.ts';

export interface Judgement {
  readonly verdict: Verdict;
  /** What was not judged, in words; empty when both were, or when there is a finding. */
  readonly doubts: readonly string[];
}

/** Profiles nearer to each other than this say little about growth. */
const MIN_SPAN_SECONDS = 300;
/** What fell by so much came back: that is seen in any two snapshots. */
const CAME_BACK = 0.8;

export function judgeProcess(
  evidence: ProcessEvidence,
  findings: readonly Finding[],
  metrics: readonly MetricGrowth[],
): Judgement {
  if (findings.some(({ verdict }) => verdict === 'leak')) return { verdict: 'leak', doubts: [] };
  if (findings.some(({ verdict }) => verdict === 'watch')) return { verdict: 'watch', doubts: [] };
  const doubts: string[] = [];
  const known = (resource: MetricGrowth['resource']): boolean =>
    metrics.some(growth => growth.resource === resource && growth.trend !== 'unknown');
  if (!known('goroutines') && !goroutinesJudged(evidence.goroutines)) {
    doubts.push(notJudged('goroutines', evidence.goroutines));
  }
  if (!known('live heap') && !heapJudged(evidence.heap)) doubts.push(notJudged('the heap', evidence.heap));
  return { verdict: doubts.length === 0 ? 'healthy' : 'unknown', doubts };
}

function goroutinesJudged(tables: readonly TableAt[]): boolean {
  return cameBack(tables) || spanSeconds(tables) >= MIN_SPAN_SECONDS;
}

/** Sampling hides slow leaks: profiles alone clear a heap only when it shrank. */
function heapJudged(tables: readonly TableAt[]): boolean {
  return cameBack(tables);
}

function cameBack(tables: readonly TableAt[]): boolean {
  if (tables.length < 2 || spanSeconds(tables) === 0) return false;
  return tables[tables.length - 1].table.total < tables[0].table.total * CAME_BACK;
}

/** 0 when the times are not told: the order of files proves nothing. */
function spanSeconds(tables: readonly TableAt[]): number {
  const times = tables.map(({ atSeconds }) => atSeconds);
  const first = times[0];
  const last = times.at(-1);
  return first === undefined || last === undefined ? 0 : last - first;
}

function notJudged(what: string, tables: readonly TableAt[]): string {
  if (tables.length === 0) return `${what}: no profile`;
  if (tables.length === 1) return `${what}: one snapshot shows what is there, not whether it grows`;
  if (spanSeconds(tables) === 0) {
    return `${what}: ${tables.length} snapshots without a time of their own, in the order of their files`;
  }
  if (what === 'the heap')
    return 'the heap: no family grows beyond chance, but sampling hides slow leaks and there are no metrics over time';
  return `${what}: ${tables.length} snapshots within ${Math.round(spanSeconds(tables))} s are too close`;
}
