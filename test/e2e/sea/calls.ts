/**
 * A call of every command whose output depends on nothing but its files: `heap.pb.gz`, `dump.txt` and a `kubeconfig` of
 * an API server that refuses. `watch` runs apart, as it needs threads, SQLite and a browser's requests.
 */
const cluster = ['--kubeconfig', 'kubeconfig', '--request-timeout', '5s'];
const plan = ['-f', 'no-plan.yaml', ...cluster];

export const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  watch: [],
  triage: [['triage', 'node/a', ...cluster]],
  top: [['top', 'node/a', ...cluster]],
  analyze: [
    ['analyze', 'heap.pb.gz'],
    ['analyze', 'dump.txt', '-o', 'json'],
  ],
  detect: [['detect', 'dump.txt']],
  bisect: [['bisect', 'dump.txt']],
  doctor: [['doctor', 'node/a', ...cluster]],
  capture: [['capture', 'node/a', ...cluster, '--dry-run']],
  plan: [['plan', 'restart', 'node/a', ...cluster]],
  access: [['access', '--for', 'watch']],
  gate: [['gate', '--target', 'http://127.0.0.1:9', '--evidence', 'gate', '--', 'true']],
  apply: [['apply', ...plan]],
  verify: [['verify', ...plan]],
  cycle: [['cycle', 'dump.txt']],
  pprof: [['pprof', '-top', 'heap.pb.gz']],
  convert: [['convert', 'heap.pb.gz', '-o', 'heap.folded', '--sample-index', 'inuse_space']],
  catalogue: [
    ['catalogue', 'list'],
    ['catalogue', 'lint'],
  ],
  labels: [['labels', 'dump.txt']],
  rules: [['rules', '--format', 'grafana']],
  bundle: [['bundle', 'verify', 'heap.pb.gz']],
  report: [['report', 'heap.pb.gz', '--for', 'upstream']],
  'collect-script': [['collect-script', 'node/a']],
  completion: [
    ['completion', 'bash'],
    ['completion', 'man'],
  ],
  // With -o json, it says which form it is.
  version: [['version']],
};

export const OTHER_CALLS: readonly (readonly string[])[] = [['--help'], ['--version'], ['nonsense']];

/** Nothing listens on the port of `discard`. */
export const REFUSING_CLUSTER = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:9' } }],
  users: [{ name: 'a', user: { token: 'x' } }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  'current-context': 'a',
} as const;
