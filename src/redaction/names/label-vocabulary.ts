/**
 * Metric labels with a fixed vocabulary. A value from that vocabulary stays; every other label value is hidden.
 */
import type { Redactor } from './redactor.ts';

const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)$/i;
const VERSION = /^(?:v|go)?\d+\.\d+[0-9a-z.+-]*$/;
const BOOLEAN = /^(?:true|false)$/;
const COMPONENT =
  /^(?:kubelet|kube-apiserver|apiserver|kube-controller-manager|kube-scheduler|kube-proxy|kcp|etcd|containerd)$/;

/** Values that reveal nothing, whatever the label. */
const NEUTRAL = /^(?:true|false|unknown|none|)$/;

const VALUES: Readonly<Record<string, RegExp>> = {
  le: NUMBER,
  quantile: NUMBER,
  code: /^(?:\d{3}|<error>)$/,
  method: /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|CONNECT|OPTIONS|TRACE)$/i,
  verb: /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|LIST|WATCH|CREATE|UPDATE|APPLY|PROXY|CONNECT|DELETECOLLECTION)$/i,
  operation_type:
    /^(?:create|update|sync|terminating|terminated|version|status|runtime_config|update_runtime_config|(?:run|start|stop|remove|create|update|checkpoint)_(?:podsandbox|container)|podsandbox_(?:status|stats)|container_(?:status|stats)|list_(?:podsandbox|containers|images|container_stats|podsandbox_stats|metric_descriptors|pod_sandbox_metrics)(?:_\w+)?|port_forward|attach|exec|exec_sync|reopen_container_log|(?:list|pull|remove)_images?|image_(?:status|fs_info)|get_container_events)$/,
  container_state: /^(?:running|exited|created|unknown)$/,
  container_type: /^(?:container|init_container|ephemeral_container)$/,
  probe_type: /^(?:Liveness|Readiness|Startup)$/,
  result: /^(?:successful|failed|unknown|success|failure|error|hit|miss|reload|unreachable)$/,
  lifecycle: /^(?:sync|terminating|terminated)$/,
  config: /^(?:desired|orphan|runtime_only)$/,
  static: BOOLEAN,
  long_running: BOOLEAN,
  path: /^(?:exec|attach|run|portForward|containerLogs|logs|pods|runningpods|configz|flagz|statusz|checkpoint|healthz(?:\/\w+)?|stats(?:\/summary)?|debug(?:\/pprof(?:\/\w*)?)?|metrics(?:\/(?:cadvisor|probes|resource|slis))?)$/,
  server_type: /^(?:readonly|readwrite)$/,
  scope: /^(?:cluster|namespace|resource)$/,
  stage: /^(?:ALPHA|BETA|DEPRECATED|)$/,
  eviction_signal: /^(?:memory|nodefs|imagefs|containerfs|allocatableMemory|pid)\.\w+$/,
  exit_code: /^\d{1,3}$/,
  git_version: VERSION,
  go_version: VERSION,
  goversion: VERSION,
  version: VERSION,
  major: /^\d+$/,
  minor: /^\d+\+?$/,
  git_commit: /^[0-9a-f]{7,40}$/,
  git_tree_state: /^(?:clean|dirty|archive)$/,
  build_date: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  compiler: /^(?:gc|gccgo)$/,
  platform: /^(?:linux|darwin|windows)\/\w+$/,
  component: COMPONENT,
  job: COMPONENT,
};

/** Labels that have a fixed vocabulary in one family only. */
const VALUES_OF_FAMILY: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  kubernetes_feature_enabled: { name: /^[A-Z][A-Za-z0-9]+$/ },
  kubernetes_healthcheck: { type: /^(?:livez|readyz|healthz)$/ },
};

export function redactMetricLabel(metric: string, key: string, value: string, redactor: Redactor): string {
  const pattern = VALUES_OF_FAMILY[metric]?.[key] ?? (Object.hasOwn(VALUES, key) ? VALUES[key] : undefined);
  if (NEUTRAL.test(value) || pattern?.test(value) === true) return redactor.keep(value);
  return hideValue(value, redactor);
}

/** kube-state-metrics makes label names from the labels that users put on their objects. */
export function redactLabelKey(key: string, redactor: Redactor): string {
  const [, prefix, rest] = /^(label_|annotation_)(.+)$/s.exec(key) ?? [];
  if (rest === undefined) return redactor.keep(key);
  return prefix + redactor.hide('label', rest).replace('-', '_');
}

const ADDRESS = /^\[?(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})\]?(?::\d+)?$/i;

export function hideValue(value: string, redactor: Redactor): string {
  const kind = ADDRESS.test(value) ? 'address' : /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? 'url' : 'label';
  return redactor.hide(kind, value);
}
