/** `oakum cycle`: from a pile of evidence to the OOM cycle of each target in it. */
import { compareCycles, cycleOf } from './cycle-of.ts';
import { processNames } from '../../evidence/cycle/process-names.ts';
import type { CycleReport } from '../../evidence/cycle/cycle.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { assignEvidence, type ClockOptions } from '../../evidence/cycle/assign-evidence.ts';
import { readEvidence } from '../../evidence/cycle/read-evidence.ts';

export interface CycleReportOptions extends ClockOptions {
  /** The process, if it is not the kubelet. */
  readonly process?: string;
}

export async function cycleReport(items: AsyncIterable<PileItem>, options: CycleReportOptions): Promise<CycleReport> {
  const { process } = options;
  const read = await readEvidence(items, processNames(process));
  const { targets, notes } = assignEvidence(read, options);
  const cycles = targets.map(({ name, isNode, observations }) => {
    // A process that is not a kubelet is named after its files or its job.
    const own = process ?? (isNode ? undefined : name.split('/', 1)[0]);
    return cycleOf(name, observations, own === undefined ? {} : { process: own });
  });
  return {
    schema: 'oakum.cycle/v1',
    cycles: cycles.sort(compareCycles),
    notes,
    inputs: { used: read.usedCount, unused: read.unusedCount, unread: read.unread },
  };
}
