/**
 * Metrics text without names: samples with their label values hidden, types, and the marks between scrapes. Help,
 * exemplars, comments and unreadable lines are left out.
 *
 *     prober_probe_total{pod="web-7f9c",probe_type="Liveness"} 14
 *     prober_probe_total{pod="redacted-kqzjxabcdef",probe_type="Liveness"} 14
 */
import { decodeText, encodeText } from '../../base/text.ts';
import { ByteScanner, textStart } from '../../base/byte-scan.ts';
import type { Redactor } from './redactor.ts';
import { parseLabels, parseScrapeMark } from '../formats/exposition.ts';
import { FEATURE_GATES } from './kube-words.ts';
import { redactGoVersion, redactKernelVersion, redactVersion } from './versions.ts';

const TYPE =
  /^# (TYPE|UNIT) ([^\s"]+|"[^"\s]+") (counter|gauge|histogram|summary|untyped|unknown|info|stateset|gaugehistogram|seconds|bytes|ratio|celsius|meters|volts|joules|grams|amperes)\s*$/;
const VALUE = /^[ \t]+([0-9+\-.eEnNaAiIfFtTyY]+)(?:[ \t]+(-?[\d.]+))?[ \t]*(?:#.*|\r)?$/;
const ENDPOINTS = /^\/(?:metrics(?:\/(?:cadvisor|probes|resource|slis))?|stats\/summary)$/;
/** Fields of a mark; any other is a name, even if it is made of digits: nodes can be called by their addresses. */
const NUMBER_FIELDS: ReadonlyMap<string, RegExp> = new Map([
  ['ts', /^\d{1,11}(?:\.\d{1,9})?$/],
  ['status', /^\d{1,3}$/],
]);
const PART_LINES = 50_000;

export function redactExposition(bytes: Uint8Array, redactor: Redactor): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const series = new Map<string, string | undefined>();
  const scanner = new ByteScanner(bytes);
  let lines: string[] = [];
  let failed = false;
  const flush = (): void => {
    if (lines.length > 0) parts.push(encodeText(`${lines.join('\n')}\n`));
    lines = [];
  };
  for (let at = textStart(bytes); at < bytes.length;) {
    const newline = scanner.newline(at);
    const line = decodeText(bytes, at, newline);
    at = newline + 1;
    let redacted: string | undefined;
    if (line.startsWith('#')) {
      const mark = redactMark(line, redactor);
      if (mark !== undefined) failed = mark.failed;
      redacted = mark?.line ?? redactComment(line, redactor);
    } else if (!failed) redacted = redactSample(line, series, redactor);
    if (redacted === undefined) continue;
    lines.push(redacted);
    if (lines.length >= PART_LINES) flush();
  }
  flush();
  return parts;
}

function redactComment(line: string, redactor: Redactor): string | undefined {
  if (line.trimEnd() === '# EOF') return '# EOF';
  const [, word, quoted, type] = TYPE.exec(line) ?? [];
  if (quoted === undefined) return undefined;
  const isQuoted = quoted.startsWith('"');
  const name = redactMetricName(isQuoted ? quoted.slice(1, -1) : quoted, redactor);
  return `# ${word} ${isQuoted ? `"${name}"` : name} ${type}`;
}

function redactMark(line: string, redactor: Redactor): { line: string; failed: boolean } | undefined {
  if (line.length > 400) return undefined;
  const mark = parseScrapeMark(line);
  if (mark === undefined) return undefined;
  const fields = Array.from(line.matchAll(/ (\w+)=(\S*)/g), ([, key = '', value = '']) => {
    const number = NUMBER_FIELDS.get(key);
    if (number !== undefined) return number.test(value) ? [`${key}=${value}`] : [];
    if (key === 'node') return [`node=${redactor.hide('name', value)}`];
    if (key === 'path') return [`path=${ENDPOINTS.test(value) ? redactor.keep(value) : redactor.hide('path', value)}`];
    redactor.remove('text', value);
    return [];
  }).flat();
  return { line: `# CAPTURE scrape ${fields.join(' ')}`, failed: mark.failed };
}

function redactSample(line: string, known: Map<string, string | undefined>, redactor: Redactor): string | undefined {
  const end = seriesEnd(line);
  if (end < 0) return undefined;
  const value = VALUE.exec(line.slice(end));
  if (value === null) return undefined;
  const text = line.slice(0, end);
  let redacted = known.get(text);
  if (redacted === undefined && !known.has(text)) known.set(text, (redacted = redactSeries(text, redactor)));
  if (redacted === undefined) return undefined;
  return `${redacted} ${value[1]}${value[2] === undefined ? '' : ` ${value[2]}`}`;
}

/** Where name and labels end; -1 when the line is not a sample. */
function seriesEnd(line: string): number {
  const name = /^[ \t]*(?:[a-zA-Z_:][\w:.]*)?/.exec(line)?.[0] ?? '';
  const open = /^[ \t]*\{/.exec(line.slice(name.length));
  if (open === null) return name.trim() === '' ? -1 : name.length;
  for (let i = name.length + open[0].length; i < line.length; i++) {
    if (line[i] === '}') return i + 1;
    if (line[i] !== '"') continue;
    for (i++; i < line.length && line[i] !== '"'; i++) if (line[i] === '\\') i++;
  }
  return -1;
}

function redactSeries(text: string, redactor: Redactor): string | undefined {
  const open = text.indexOf('{');
  const bare = (open < 0 ? text : text.slice(0, open)).trim();
  if (open < 0) return redactMetricName(bare, redactor);
  const inside = text.slice(open + 1, -1);
  const parsed = parseLabels(inside);
  // It still counts as a series.
  if (parsed === undefined)
    return bare === '' ? undefined : `${redactMetricName(bare, redactor)}{labels="${redactor.hide('label', inside)}"}`;
  const name = bare || (parsed.name ?? '');
  const metric = redactMetricName(name, redactor);
  const labels = Object.entries(parsed.labels).map(
    ([key, value]) => `${quotedKey(redactLabelKey(key, redactor))}="${redactMetricLabel(name, key, value, redactor)}"`,
  );
  if (bare !== '') return `${metric}{${labels.join(',')}}`;
  return `{${[JSON.stringify(metric), ...labels].join(',')}}`;
}

function quotedKey(key: string): string {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(key) ? key : JSON.stringify(key);
}

/**
 * Metric labels with a fixed vocabulary. A value from that vocabulary stays; every other label value is hidden.
 */
const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)$/i;
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
  eviction_signal: /^(?:memory|nodefs|imagefs|containerfs|allocatableMemory|pid)\.(?:available|inodesFree)$/,
  exit_code: /^\d{1,3}$/,
  major: /^\d{1,2}$/,
  minor: /^\d{1,3}\+?$/,
  git_tree_state: /^(?:clean|dirty|archive)$/,
  build_date: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  compiler: /^(?:gc|gccgo)$/,
  platform: /^(?:linux|darwin|windows)\/(?:amd64|arm64|arm|386|ppc64le|s390x|riscv64)$/,
  component: COMPONENT,
  job: COMPONENT,
};

/** Labels that have a fixed vocabulary in one family only. */
const VALUES_OF_FAMILY: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  kubernetes_healthcheck: { type: /^(?:livez|readyz|healthz)$/ },
};

/** Versions of programs, by label; in the label of any other metric it may be what a user called theirs. */
const VERSIONS: ReadonlyMap<string, (text: string, redactor: Redactor) => string> = new Map([
  ['git_version', redactVersion],
  ['server_version', redactVersion],
  ['cluster_version', redactVersion],
  ['emulation_version', redactVersion],
  ['go_version', redactGoVersion],
  ['server_go_version', redactGoVersion],
  ['goversion', redactGoVersion],
  ['kernelVersion', redactKernelVersion],
]);

/** `go_info` and `NAME_build_info` have the version in a label of this name. */
const INFO = /(?:^|_)(?:go_info|build_info)$/;

function redactVersionLabel(metric: string, key: string, value: string, redactor: Redactor): string | undefined {
  const redact = VERSIONS.get(key);
  if (redact !== undefined) return redact(value, redactor);
  if (key !== 'version' || !INFO.test(metric)) return undefined;
  return value.startsWith('go') ? redactGoVersion(value, redactor) : redactVersion(value, redactor);
}

function redactMetricLabel(metric: string, key: string, value: string, redactor: Redactor): string {
  const family = Object.hasOwn(VALUES_OF_FAMILY, metric) ? VALUES_OF_FAMILY[metric] : undefined;
  const pattern = ownPattern(family, key) ?? ownPattern(VALUES, key);
  if (NEUTRAL.test(value) || pattern?.test(value) === true) return redactor.keep(value);
  if (metric === 'kubernetes_feature_enabled' && key === 'name' && FEATURE_GATES.has(value))
    return redactor.keep(value);
  return redactVersionLabel(metric, key, value, redactor) ?? hideValue(value, redactor);
}

/** A key from outside may be `constructor`. */
function ownPattern(patterns: Readonly<Record<string, RegExp>> | undefined, key: string): RegExp | undefined {
  return patterns !== undefined && Object.hasOwn(patterns, key) ? patterns[key] : undefined;
}

/**
 * Names of labels that Kubernetes, etcd, containerd and the client libraries use. Others are hidden: kube-state-metrics
 * makes them from the labels that users put on their objects.
 */
const KEYS: ReadonlySet<string> = new Set(
  `action address attempts binary bound boot_id build_date cadvisorRevision cadvisorVersion cidr client_api_version
  client_type cluster cluster_version code code_path compiler component condition config container container_id
  container_name container_runtime_version container_state container_type controller created_by_kind created_by_name
  decision deprecated_version device dockerVersion driver_name dry_run effect emulation emulation_version endpoint
  error event eviction_signal execute exit_code exported_container exported_job exported_namespace exported_node
  exported_pod extension_point fallback field_validation filter flow_schema fs_type git_commit git_tree_state
  git_version go_version goversion group grpc_code grpc_method grpc_service grpc_type handler hint hinted host
  host_ip host_network id image image_id image_size_in_bytes image_spec index instance interface internal_ip job key
  kernelVersion kernel_version kind kubelet_version kubeproxy_version le level lifecycle long_running machine_id
  major manager metric_source metrics_path method migrated min_compat minor mode mountpoint name namespace node
  node_name numa_node op operation operation_name operation_type osVersion os_image owner_is_controller owner_kind
  owner_name path persistentvolumeclaim phase platform plugin plugin_name pod pod_cidr pod_ip pod_name pod_uid
  policy_level policy_version present_locally priority priority_class priority_level probe_type profile protocol
  provider provider_id pull_policy pull_required quantile queue reason region rejected removed_release repo_state
  request_kind request_operation requestKind resource result revision role runtime_handler scope server_go_version
  server_id server_type server_version service shard source stability_level stage state static status
  storage_cluster_id storageclass subresource success system_uuid target tenant tier type uid unit url username
  verb version volume_mode volume_plugin volumename webhook zone Local Remote labels`
    .split(/\s+/)
    .filter(word => word !== ''),
);

function redactLabelKey(key: string, redactor: Redactor): string {
  if (KEYS.has(key)) return redactor.keep(key);
  const [, prefix = '', rest = key] = /^(label_|annotation_)(.+)$/s.exec(key) ?? [];
  return prefix + redactor.hide('label', rest).replace('-', '_');
}

/** Words of letters with few digits, as programmers name metrics: `http2_streams_total`, `apiserver_v1beta1`. */
const METRIC = /^:?[a-z]\w*(?::\w+)*$/i;
const METRIC_WORD = /^(?:[a-z]{0,30}|[A-Z][a-z]{1,20}|[A-Z]{1,8})\d{0,4}[a-z]{0,20}\d{0,3}[a-z]{0,8}$/;

/** A metric's name comes from code, unless it does not look like it. */
function redactMetricName(name: string, redactor: Redactor): string {
  const isName = name.length <= 160 && METRIC.test(name) && name.split(/[_:]/).every(word => METRIC_WORD.test(word));
  return isName ? redactor.keep(name) : redactor.hide('name', name).replace('-', '_');
}

const ADDRESS = /^\[?(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})\]?(?::\d+)?$/i;

function hideValue(value: string, redactor: Redactor): string {
  const kind = ADDRESS.test(value) ? 'address' : /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? 'url' : 'label';
  return redactor.hide(kind, value);
}
