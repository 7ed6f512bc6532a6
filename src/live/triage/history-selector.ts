/**
 * Finds the series of a target in a Prometheus. Scrape configurations differ, so it queries instead of assuming:
 *
 *     node/worker-17    kubelet_running_pods{node="worker-17"}, or {instance=~"worker-17(:[0-9]+)?"}, or its address
 *     http://host:6060  go_goroutines{instance="host:6060"}
 */
import { textOf } from '../../base/json.ts';
import { hostAndPort, quotedText as quoted, regexpText } from '../../base/matcher-text.ts';
import type { TargetRef } from '../../evidence/target.ts';
import { readLabelSets } from '../../evidence/recording/hourly-query.ts';

/** A process that died last night still has a history. */
const LOOK_BACK = '12h';

/** A query whose answer has one series for each process that may be the target. */
export function anchorQuery(
  ref: TargetRef,
  addresses: readonly string[],
  namespace: string,
  match: string,
): string | undefined {
  const recent = (series: string): string => `last_over_time(${series}[${LOOK_BACK}])`;
  if (match !== '') return recent(`go_goroutines{${match}}`);
  switch (ref.kind) {
    case 'node': {
      const names = [ref.name, ...addresses].map(regexpText);
      // Other exporters of a node have goroutines too; only kubelets count pods.
      const matchers = [`node=${quoted(ref.name)}`, `instance=~${quoted(`(${names.join('|')})(:[0-9]+)?`)}`];
      return matchers.map(matcher => recent(`kubelet_running_pods{${matcher}}`)).join(' or ');
    }
    case 'pod':
      return recent(`go_goroutines{namespace=${quoted(ref.namespace ?? namespace)},pod=${quoted(ref.name)}}`);
    case 'url':
      return recent(`go_goroutines{instance=${quoted(hostAndPort(ref.url))}}`);
    case 'apiserver':
      return recent(`go_goroutines{job=~"kube-apiserver|apiserver|kubernetes-apiservers|kubernetes"}`);
    // A Unix socket cannot be scraped.
    case 'unix':
      return undefined;
  }
}

/** Only the labels that identify a process; any other label may be the metric's own. */
export type TargetLabels = Readonly<Record<'cluster' | 'job' | 'instance', string>>;

/** The distinct processes in the answer to an instant query. */
export function processesIn(body: Uint8Array): readonly TargetLabels[] {
  const found = new Map<string, TargetLabels>();
  for (const metric of readLabelSets(body)) {
    const text = (name: string): string => textOf(metric[name]);
    const labels = { cluster: text('cluster'), job: text('job'), instance: text('instance') };
    if (labels.instance !== '') found.set(selectorText(labels), labels);
  }
  return [...found.values()];
}

/** `job="kubelet",instance="10.0.0.1:10250"` */
export function selectorText(labels: Partial<TargetLabels>): string {
  return (['cluster', 'job', 'instance'] as const)
    .flatMap(name => (labels[name] ? [`${name}=${quoted(labels[name])}`] : []))
    .join(',');
}

export function instancesMatcher(instances: readonly string[]): string {
  return `instance=~${quoted(instances.map(regexpText).join('|'))}`;
}
