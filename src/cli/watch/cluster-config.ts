/**
 * The clusters in the file of `oakum watch --config`:
 *
 *     clusters:
 *       - clusters/                    # as for --clusters: a folder, a kubeconfig, a context or a pattern
 *       - name: prod-eu                # that of the context or of the file by default
 *         kubeconfig: eu.yaml
 *         context: admin@eu
 *         direct: true
 *         token-file: eu.token
 *         memory-limit: 2Gi
 *         capture: false               # although --capture is given
 *         actions: false               # although --allow-actions is given
 */
import type { FormatError } from '../../base/errors.ts';
import { clusterName } from '../../evidence/target.ts';
import { parseByteSize } from '../options/option-values.ts';

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

const KEYS = ['name', 'kubeconfig', 'context', 'direct', 'token-file', 'memory-limit', 'capture', 'actions'];
const MAX_ENTRIES = 1000;

/** Undefined if the file names none. */
export function readClusters(value: unknown, wrong: (problem: string) => FormatError): ClustersConfig | undefined {
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
  const unknown = Object.keys(fields).find(key => !KEYS.includes(key));
  if (unknown !== undefined) throw wrong(`${where}: unknown setting ${unknown}; a cluster has ${KEYS.join(', ')}`);
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
