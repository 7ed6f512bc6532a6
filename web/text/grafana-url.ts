/**
 * The address of a dashboard from the template in the configuration:
 *
 *     https://grafana.example.com/d/kubelet?var-node={node}&from={from}&to={to}
 *
 * `{target}` is `node/worker-17`, `{node}` its last part, `{cluster}` one of several clusters; times are in milliseconds, as Grafana takes them.
 */
import { clusterOf } from '../../src/evidence/target.ts';

export function grafanaUrl(template: string, target: string, from: number, to: number | undefined): string {
  const values: Readonly<Record<string, string>> = {
    target: encodeURIComponent(target),
    node: encodeURIComponent(target.slice(target.lastIndexOf('/') + 1)),
    cluster: encodeURIComponent(clusterOf(target) ?? ''),
    from: String(Math.round(from * 1000)),
    to: to === undefined ? 'now' : String(Math.round(to * 1000)),
  };
  return template.replace(/\{(target|node|cluster|from|to)\}/g, (_, name: string) => values[name] ?? '');
}
