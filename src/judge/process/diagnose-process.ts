/**
 * The findings of one process and its verdict: what grows beyond chance, what the runtime reports as leaked, and what
 * only metrics can prove. Each is weighed in a ledger.
 */
import { metricGrowth, type MetricGrowth } from '../growth/metric-growth.ts';
import type { Finding, ResourceLedger } from '../analysis.ts';
import type { Verdict } from '../verdict.ts';
import type { ProcessEvidence, TableAt } from '../../evidence/snapshots/process-evidence.ts';
import type { DiagnoseOptions } from './family-evidence.ts';
import { goroutinesExplode } from './explosion.ts';
import { goroutineFindings } from './goroutine-findings.ts';
import { foldGoroutineMemory } from './goroutine-memory.ts';
import { heapFindings } from './heap-findings.ts';
import { cameBack, judgeProcess, orderWords, spanSeconds } from './judge-process.ts';
import { sameCollectionVetoes } from './same-collection.ts';
import { unattributedFinding } from './unattributed-growth.ts';

export interface ProcessDiagnosis {
  readonly verdict: Verdict;
  /** Why there is no finding, or what supports the findings. */
  readonly reasons: readonly string[];
  readonly findings: readonly Finding[];
  readonly ledgers: readonly ResourceLedger[];
  /** Its goroutines multiplied. */
  readonly explodes: boolean;
}

export function diagnoseProcess(evidence: ProcessEvidence, options: DiagnoseOptions): ProcessDiagnosis {
  const metrics = evidence.series === undefined ? [] : metricGrowth(evidence.series);
  const found = [...goroutineFindings(evidence, options), ...heapFindings(evidence, options, liveHeapRise(metrics))];
  const findings = foldGoroutineMemory(found, evidence);
  // A family that is merely large explains no growth.
  const suspects = findings.filter(({ verdict }) => verdict === 'leak' || verdict === 'watch');
  const attributed = new Set(suspects.map(({ resource }) => resource));
  // Goroutines that grow need stacks.
  if (attributed.has('goroutines')) attributed.add('stacks');
  for (const growth of metrics) {
    const finding = unattributedFinding(evidence.process.target, growth, attributed);
    if (finding !== undefined) findings.push(finding);
  }
  const { verdict, doubts, ledgers } = judgeProcess(evidence, findings, metrics);
  const repeated = sameCollectionVetoes(evidence).map(({ sentence }) => sentence);
  const reasons = [...new Set([...reasonsOf(evidence, metrics), ...repeated, ...doubts])];
  return { verdict, reasons, findings, ledgers, explodes: goroutinesExplode(evidence) };
}

/** A live heap that rises independently of the pods. */
function liveHeapRise(metrics: readonly MetricGrowth[]): MetricGrowth | undefined {
  return metrics.find(
    ({ resource, trend, density }) =>
      resource === 'live heap' && (trend === 'steady' || trend === 'rising') && density?.follows !== true,
  );
}

/** Undated snapshots may be in the wrong order: that there are fewer now proves nothing. */
function afterwards(tables: readonly TableAt[]): string {
  if (cameBack(tables)) return ': it recovered';
  return spanSeconds(tables) === 0 ? `, ${orderWords(tables)}` : '';
}

function reasonsOf({ goroutines, heap }: ProcessEvidence, metrics: readonly MetricGrowth[]): string[] {
  const reasons: string[] = [];
  const [first, last] = [goroutines.at(0)?.table.total, goroutines.at(-1)?.table.total];
  if (first !== undefined && last !== undefined && goroutines.length > 1) {
    reasons.push(`goroutines ${first} -> ${last} over ${goroutines.length} snapshots${afterwards(goroutines)}`);
  }
  if (heap.length > 1) reasons.push(`heap in use compared over ${heap.length} profiles`);
  reasons.push(
    ...metrics
      .filter(({ resource, trend }) => (resource === 'live heap' || resource === 'goroutines') && trend !== 'unknown')
      .map(({ sentence }) => sentence),
  );
  return reasons;
}
