/**
 * The address of a dashboard from the template in the configuration:
 *
 *     https://grafana.example.com/d/kubelet?var-node={node}&from={from}&to={to}
 *
 * `{target}` is `node/worker-17`, `{node}` its last part; times are in milliseconds, as Grafana takes them.
 */
export function grafanaUrl(template: string, target: string, from: number, to: number | undefined): string {
  const values: Readonly<Record<string, string>> = {
    target: encodeURIComponent(target),
    node: encodeURIComponent(target.slice(target.lastIndexOf('/') + 1)),
    from: String(Math.round(from * 1000)),
    to: to === undefined ? 'now' : String(Math.round(to * 1000)),
  };
  return template.replace(/\{(target|node|from|to)\}/g, (_, name: string) => values[name] ?? '');
}
