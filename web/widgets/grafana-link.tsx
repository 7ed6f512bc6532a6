/** A link to the dashboard that the configuration names, for a target and a time. */
import { clusterOf } from '../../src/evidence/target.ts';
import { status } from '../state/live.ts';

/**
 * The address of a dashboard from the template in the configuration:
 *
 *     https://grafana.example.com/d/kubelet?var-node={node}&from={from}&to={to}
 *
 * `{target}` is `node/worker-17`, `{node}` its last part, `{cluster}` one of several clusters; times are in milliseconds,
 * as Grafana takes them.
 */
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

interface GrafanaLinkProps {
  readonly target: string;
  /** Unix seconds; to now if `to` is not given. */
  readonly from: number;
  readonly to: number | undefined;
}

export function GrafanaLink({ target, from, to }: GrafanaLinkProps) {
  const template = status.value?.grafana ?? null;
  if (template === null) return null;
  return (
    <a href={grafanaUrl(template, target, from, to)} target="_blank" rel="noreferrer">
      Grafana
    </a>
  );
}
