/** Fills in what the source of a finding did not know, from the live kubelet and its node. */
import type { KubeletFacts, NodeFacts, NodeFinding } from './cluster-facts.ts';

/** Resident memory grows at most twice as much as the live heap, because the collector waits until it has doubled. */
const MAX_RESIDENT_PER_LIVE = 2;

export function withLimit(
  finding: NodeFinding,
  kubelet: KubeletFacts | undefined,
  node: Pick<NodeFacts, 'memoryBytes'>,
): NodeFinding {
  const level = finding.level ?? liveLevel(finding, kubelet);
  const limit = finding.limit ?? (finding.unit === 'bytes' ? node.memoryBytes : null);
  const { slopePerHour: slope } = finding;
  const resident = kubelet?.residentBytes ?? level;
  const canTell =
    finding.timeToLimitHours === null && limit !== null && resident !== null && slope !== null && slope > 0;
  const room = canTell ? Math.max(0, limit - resident) : 0;
  return {
    ...finding,
    level,
    limit,
    timeToLimitHours: canTell ? [room / (slope * MAX_RESIDENT_PER_LIVE), room / slope] : finding.timeToLimitHours,
  };
}

function liveLevel({ resource }: NodeFinding, kubelet: KubeletFacts | undefined): number | null {
  if (kubelet === undefined) return null;
  if (resource === 'goroutines') return kubelet.goroutines;
  return resource === 'live heap' ? kubelet.residentBytes : null;
}
