/** Other programs that restart the process. Anyone who acts at the same time must know about them. */
import type { Restarter } from '../../evidence/cycle/cycle.ts';
import type { Observed } from './observed.ts';
import type { ProcessNames } from '../../evidence/cycle/process-names.ts';
import { timeText } from '../../base/time-text.ts';

const CHECKER = "node-problem-detector's health-checker";
const COUNTER = 'node-problem-detector';

export function findRestarters(seen: Observed, names: ProcessNames): Restarter[] {
  const restarters = new Map<string, Restarter>();
  const add = (restarter: Restarter): void => {
    const known = restarters.get(restarter.name);
    // A restarter that was seen to act tells more than one that only exists.
    if (known === undefined || (restarter.isActive && !known.isActive)) restarters.set(restarter.name, restarter);
  };
  for (const { event, atSeconds } of seen.logs) {
    if (event.kind !== 'repair' || !names.isProcess(event.component)) continue;
    const when = atSeconds === undefined ? '' : ` at ${timeText(atSeconds)}`;
    const sentence = event.acts
      ? `it repaired the ${event.component}${when}, which kills it`
      : `it found the ${event.component} unhealthy${when}, with repair on`;
    add({ name: CHECKER, isActive: true, sentence });
  }
  if (names.name !== 'kubelet') return [...restarters.values()];
  for (const { type, status, sinceSeconds } of seen.conditions) {
    if (type === 'KubeletUnhealthy') {
      const since = sinceSeconds === undefined ? '' : ` since ${timeText(sinceSeconds)}`;
      const sentence =
        status === 'True'
          ? `condition KubeletUnhealthy is True${since}: where repair is on, it kills the kubelet after its cool-down`
          : 'condition KubeletUnhealthy is there: where repair is on, it kills a kubelet that answers its health check late';
      add({ name: CHECKER, isActive: status === 'True', sentence });
    }
    if (type === 'FrequentKubeletRestart' && status === 'True') {
      const sentence =
        'condition FrequentKubeletRestart is True: it counted five starts in twenty minutes, and remedies that watch it may act';
      add({ name: COUNTER, isActive: true, sentence });
    }
  }
  for (const { reason, message, atSeconds } of seen.kubeEvents) {
    const when = atSeconds === undefined ? '' : ` at ${timeText(atSeconds)}`;
    if (reason === 'KubeletUnhealthy')
      add({ name: CHECKER, isActive: true, sentence: `it reported KubeletUnhealthy${when}` });
    if (reason === 'FrequentKubeletRestart' && !/: False/.test(message))
      add({ name: COUNTER, isActive: true, sentence: `it reported FrequentKubeletRestart${when}` });
  }
  return [...restarters.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
