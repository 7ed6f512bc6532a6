/** The fields of a Pod and of a PodDisruptionBudget that a plan looks at. */
import { listOf, optionalNumber, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { BudgetFacts, PodFacts } from './cluster-facts.ts';
import { controllerOf, type DrainFlags, drainRuling, isMirrorPod } from './drain-rule.ts';
import { podFacts } from './pod-facts.ts';
import { devicesOf } from './devices.ts';
import { textsOf } from './read-node.ts';

export function readPod(
  pod: JsonRecord,
  flags: DrainFlags,
  hasDaemonSet: (namespace: string, name: string) => boolean | undefined,
): PodFacts {
  const spec = recordOf(pod['spec']);
  const status = recordOf(pod['status']);
  const owner = controllerOf(pod);
  const containers = [...listOf(spec['initContainers']), ...listOf(spec['containers'])].map(recordOf);
  return {
    ...podFacts(pod),
    labels: textsOf(recordOf(pod['metadata'])['labels']),
    isRunning: status['phase'] === 'Running',
    isReady: listOf(status['conditions'])
      .map(recordOf)
      .some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    isMirror: isMirrorPod(pod),
    owner: owner === undefined ? null : `${owner.kind}/${owner.name}`,
    hasProbe: containers.some(one => one['readinessProbe'] !== undefined || one['startupProbe'] !== undefined),
    devices: devicesOf(pod),
    drain: drainRuling(pod, flags, hasDaemonSet),
  };
}

export function readBudget(budget: JsonRecord): BudgetFacts {
  const metadata = recordOf(budget['metadata']);
  const status = recordOf(budget['status']);
  const count = (name: string): number => optionalNumber(status[name]) ?? 0;
  return {
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    disruptionsAllowed: count('disruptionsAllowed'),
    currentHealthy: count('currentHealthy'),
    desiredHealthy: count('desiredHealthy'),
    expectedPods: count('expectedPods'),
  };
}
