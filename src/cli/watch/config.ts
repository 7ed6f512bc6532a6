/**
 * The file of `oakum watch --config`:
 *
 *     nodes: true                          # the cluster's nodes, in addition to the targets
 *     targets:
 *       - apiserver
 *       - target: pod/kcp/kcp-0:6443
 *         memory-limit: 2Gi
 *     clusters:
 *       - clusters/                        # as for --clusters: a folder, a kubeconfig, a context or a pattern
 *       - name: prod-eu                    # that of the context or of the file by default
 *         kubeconfig: eu.yaml
 *         context: admin@eu
 *         direct: true
 *         token-file: eu.token
 *         memory-limit: 2Gi
 *         capture: false                   # although --capture is given
 *         actions: false                   # although --allow-actions is given
 *     interval: 30s
 *     retention: 30d
 *     capture: true
 *     grafana: https://grafana.example.com/d/kubelet?var-node={node}&from={from}&to={to}
 *     notify: ...                          # see notify-config.ts
 */
import { parse } from 'yaml';
import { FormatError } from '../../base/errors.ts';
import { parseTargetRef, type TargetRef, clusterName } from '../../evidence/target.ts';
import { type NotifyConfig, readNotifyConfig } from './notify-config.ts';
import { parseByteSize, parseDuration } from '../options/kinds.ts';

export interface ConfiguredTarget {
  readonly ref: TargetRef;
  readonly memoryLimitBytes: number | undefined;
}

export interface WatchConfig {
  readonly nodes: boolean | undefined;
  readonly targets: readonly ConfiguredTarget[];
  /** Undefined for that of the kubeconfig's context. */
  readonly clusters: ClustersConfig | undefined;
  readonly intervalSeconds: number | undefined;
  readonly retentionSeconds: number | undefined;
  readonly capture: boolean | undefined;
  /** The template of links to a dashboard. */
  readonly grafana: string | undefined;
  readonly notify: NotifyConfig | undefined;
}

const KEYS = ['nodes', 'targets', 'clusters', 'interval', 'retention', 'capture', 'grafana', 'notify'];
const MAX_TARGETS = 200_000;

/** Throws a FormatError that names the key. */
export function readWatchConfig(text: string, path: string): WatchConfig {
  const wrong = (problem: string): FormatError => new FormatError(`${path}: ${problem}`);
  let root: unknown;
  try {
    root = parse(text, { maxAliasCount: 0, logLevel: 'error' });
  } catch (error) {
    throw wrong((error as Error).message.split('\n')[0] ?? '');
  }
  if (root === null || root === undefined) root = {};
  if (typeof root !== 'object' || Array.isArray(root)) throw wrong(`expected settings: ${KEYS.join(', ')}`);
  const fields = root as Record<string, unknown>;
  const unknown = Object.keys(fields).find(key => !KEYS.includes(key));
  if (unknown !== undefined) throw wrong(`unknown setting ${unknown}; the settings are ${KEYS.join(', ')}`);
  const flag = (key: string): boolean | undefined => {
    const value = fields[key];
    if (value !== undefined && typeof value !== 'boolean') throw wrong(`${key} takes true or false`);
    return value;
  };
  const duration = (key: string): number | undefined => {
    if (fields[key] === undefined) return undefined;
    const seconds = parseDuration(String(fields[key]));
    if (seconds === undefined) throw wrong(`${key} takes a time such as 30s or 7d, not ${String(fields[key])}`);
    return seconds;
  };
  return {
    nodes: flag('nodes'),
    targets: readTargets(fields['targets'], wrong),
    clusters: readClusters(fields['clusters'], wrong),
    intervalSeconds: duration('interval'),
    retentionSeconds: duration('retention'),
    capture: flag('capture'),
    grafana: readLink(fields['grafana'], wrong),
    notify: fields['notify'] === undefined ? undefined : readNotifyConfig(fields['notify'], wrong),
  };
}

/** Only a web address: it becomes a link on a page. */
function readLink(value: unknown, wrong: (problem: string) => FormatError): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && /^https?:\/\/[^\s/]/.test(value)) return value;
  throw wrong('grafana takes the http or https address of a dashboard, such as https://HOST/d/ID?var-node={node}');
}

function readTargets(value: unknown, wrong: (problem: string) => FormatError): ConfiguredTarget[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong('targets takes a list');
  if (value.length > MAX_TARGETS)
    throw wrong(`${value.length} targets are too many: at most ${MAX_TARGETS} can be named`);
  return value.map((entry: unknown, i) => {
    const where = `targets[${i}]`;
    const fields = typeof entry === 'string' ? { target: entry } : entry;
    if (typeof fields !== 'object' || fields === null) throw wrong(`${where} is not a target`);
    const { target, 'memory-limit': limit, ...rest } = fields as Record<string, unknown>;
    const [other] = Object.keys(rest);
    if (other !== undefined) throw wrong(`${where}: unknown setting ${other}; a target has target and memory-limit`);
    const ref = parseTargetRef(typeof target === 'string' ? target : '');
    if (typeof ref === 'string') throw wrong(`${where}: ${ref}`);
    const memoryLimitBytes = limit === undefined ? undefined : parseByteSize(String(limit));
    if (limit !== undefined && memoryLimitBytes === undefined)
      throw wrong(`${where}: memory-limit takes a size such as 512Mi, not ${String(limit)}`);
    return { ref, memoryLimitBytes };
  });
}

export interface ConfiguredCluster {
  readonly name: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly direct: boolean | undefined;
  readonly tokenFile: string | undefined;
  readonly memoryLimitBytes: number | undefined;
  readonly capture: boolean | undefined;
  readonly actions: boolean | undefined;
}

export interface ClustersConfig {
  /** As for --clusters. */
  readonly given: readonly string[];
  readonly configured: readonly ConfiguredCluster[];
}

const CLUSTER_KEYS = ['name', 'kubeconfig', 'context', 'direct', 'token-file', 'memory-limit', 'capture', 'actions'];
const MAX_ENTRIES = 1000;

/** Undefined if the file names none. */
function readClusters(value: unknown, wrong: (problem: string) => FormatError): ClustersConfig | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length === 0) throw wrong('clusters takes a list');
  if (value.length > MAX_ENTRIES) throw wrong(`${value.length} clusters are too many: at most ${MAX_ENTRIES}`);
  const entries = value.map((entry: unknown, i) => readCluster(entry, `clusters[${i}]`, wrong));
  return {
    given: entries.filter(entry => typeof entry === 'string'),
    configured: entries.filter(entry => typeof entry !== 'string'),
  };
}

function readCluster(
  entry: unknown,
  where: string,
  wrong: (problem: string) => FormatError,
): string | ConfiguredCluster {
  if (typeof entry === 'string' && entry !== '') return entry;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw wrong(`${where} is not a cluster`);
  const fields = entry as Record<string, unknown>;
  const unknown = Object.keys(fields).find(key => !CLUSTER_KEYS.includes(key));
  if (unknown !== undefined)
    throw wrong(`${where}: unknown setting ${unknown}; a cluster has ${CLUSTER_KEYS.join(', ')}`);
  const text = (key: string): string | undefined => {
    const value = fields[key];
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw wrong(`${where}: ${key} takes a text`);
    return value;
  };
  const flag = (key: string): boolean | undefined => {
    const value = fields[key];
    if (value !== undefined && typeof value !== 'boolean') throw wrong(`${where}: ${key} takes true or false`);
    return value;
  };
  const name = text('name');
  if (name !== undefined && clusterName(name) !== name)
    throw wrong(`${where}: name takes letters, digits, dots, dashes and underscores, not ${name}`);
  const limit = fields['memory-limit'];
  const memoryLimitBytes = limit === undefined ? undefined : parseByteSize(String(limit));
  if (limit !== undefined && memoryLimitBytes === undefined)
    throw wrong(`${where}: memory-limit takes a size such as 512Mi, not ${String(limit)}`);
  const [kubeconfig, context] = [text('kubeconfig'), text('context')];
  if (kubeconfig === undefined && context === undefined) throw wrong(`${where} needs a kubeconfig, a context or both`);
  return {
    name,
    kubeconfig,
    context,
    direct: flag('direct'),
    tokenFile: text('token-file'),
    memoryLimitBytes,
    capture: flag('capture'),
    actions: flag('actions'),
  };
}
