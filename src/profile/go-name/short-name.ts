/** The name of a function without the path to its package. */
import { packageOf } from './normalise.ts';

/** `k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync` as `kubelet.(*podWorkers).startPodSync`. */
export function shortName(name: string): string {
  return name.slice(packageOf(name).lastIndexOf('/') + 1).replaceAll('%2e', '.');
}
