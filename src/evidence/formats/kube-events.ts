/** Events of nodes that matter for the OOM cycle, and those of an apply, from v1 and events.k8s.io/v1. */
import type { KubeEventObservation, OomKill } from '../cycle/cycle.ts';
import { APPLY_CONTROLLER } from '../plan-marks.ts';
import { parseKernelLine, OomReports, UNKNOWN_DETAILS } from './kernel-log.ts';
import { recordOf, textOf } from '../../base/json.ts';
import { type KubeObject, timeOf } from './kube-objects.ts';

export interface NodeEvent {
  readonly node: string;
  readonly observation: Omit<KubeEventObservation, 'source'>;
}

const REASONS = new Set([
  'Starting',
  'Rebooted',
  'NodeReady',
  'NodeNotReady',
  'NodeHasInsufficientMemory',
  'NodeHasSufficientMemory',
  'EvictionThresholdMet',
  'SystemOOM',
  'OOMKilling',
  'KubeletStart',
  'KubeletUnhealthy',
  'FrequentKubeletRestart',
]);

/** Undefined when the object is not an event, or says nothing about the cycle. */
export function readNodeEvent(object: KubeObject): NodeEvent | undefined {
  const about = recordOf(object['involvedObject'] ?? object['regarding']);
  const reason = textOf(object['reason']);
  const objectKind = textOf(about['kind']);
  const source = recordOf(object['source'] ?? object['deprecatedSource']);
  const isEviction = objectKind === 'Pod' && reason === 'Evicted';
  const component =
    textOf(source['component']) || textOf(object['reportingComponent'] ?? object['reportingController']);
  const isRelevant = REASONS.has(reason) || component === APPLY_CONTROLLER;
  if (!isEviction && (objectKind !== 'Node' || !isRelevant)) return undefined;
  const node = isEviction
    ? textOf(source['host']) || textOf(object['reportingInstance']).replace(/^kubelet-/, '')
    : textOf(about['name']);
  if (node === '') return undefined;
  const series = recordOf(object['series']);
  const first =
    timeOf(object['firstTimestamp'] ?? object['deprecatedFirstTimestamp']) ??
    timeOf(object['eventTime']) ??
    timeOf(recordOf(object['metadata'])['creationTimestamp']);
  const last =
    timeOf(object['lastTimestamp'] ?? object['deprecatedLastTimestamp']) ?? timeOf(series['lastObservedTime']) ?? first;
  const count = Number(object['count'] ?? object['deprecatedCount'] ?? series['count'] ?? 1);
  const message = textOf(object['message'] ?? object['note']).slice(0, 1000);
  return {
    node,
    observation: {
      kind: 'kube-event',
      atSeconds: first,
      reason,
      message,
      component,
      lastSeconds: last,
      count: Number.isFinite(count) && count >= 1 ? count : 1,
      objectKind,
      kill: killIn(reason, message),
    },
  };
}

const SYSTEM_OOM = /victim process: (.{0,64}), pid: (\d{1,10})$/;

/** The kubelet names the victim of a global kill; node-problem-detector quotes the kernel. */
function killIn(reason: string, message: string): OomKill | undefined {
  if (reason === 'OOMKilling') {
    const line = parseKernelLine(message);
    return line?.kind === 'killed' ? new OomReports().accept(line)[0] : undefined;
  }
  const victim = reason === 'SystemOOM' ? SYSTEM_OOM.exec(message) : null;
  if (victim === null) return undefined;
  return { ...UNKNOWN_DETAILS, process: victim[1], pid: Number(victim[2]), scope: 'global' };
}
