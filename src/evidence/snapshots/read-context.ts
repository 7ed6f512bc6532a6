/** Evidence around the profiles: what kubectl prints as JSON, version files, logs. Kept as context, and read for versions. */

import { type CaptureRecord, readCaptureRecord } from './capture-record.ts';
import { parseJson, recordOf, textOf } from '../../base/json.ts';

export interface Context {
  readonly format: 'kubectl-json' | 'json' | 'json-lines' | 'log' | 'version' | 'capture-manifest';
  readonly what: string;
  /** Kubernetes versions by node; '' stands for whatever the file lies beside. */
  readonly versions: ReadonlyMap<string, string>;
  readonly goVersion: string;
  /** Where it is the manifest of a capture: what it says of the files beside it. */
  readonly capture?: CaptureRecord;
}

const NO_VERSIONS: ReadonlyMap<string, string> = new Map();

/** Reading more would take more memory than the answer is worth. */
export const MAX_CONTEXT_BYTES: number = 64 * 1024 * 1024;

const KUBE_VERSION = /^v\d+\.\d+\.\d+[\w.+-]*$/;

export function readContext(text: string): Context | undefined {
  const trimmed = text.trimStart();
  if (trimmed.startsWith('{') || trimmed.startsWith('[')) return readJson(trimmed);
  const line = trimmed.split('\n', 1)[0].trim();
  if (KUBE_VERSION.test(line) && trimmed.length < 200) return version(line, '');
  if (isLog(trimmed)) return { format: 'log', what: 'a log', versions: NO_VERSIONS, goVersion: '' };
  return undefined;
}

function version(gitVersion: string, goVersion: string): Context {
  return { format: 'version', what: `version ${gitVersion}`, versions: new Map([['', gitVersion]]), goVersion };
}

function readJson(text: string): Context | undefined {
  const value = parseJson(text);
  if (value === undefined) {
    const [first] = text.split('\n', 1);
    const isLines = parseJson(first.slice(0, 100_000)) !== undefined;
    const kind = /"kind": ?"(\w+?)(?:List)?"/.exec(text.slice(0, 4096))?.[1];
    if (!isLines && kind !== undefined) {
      return { format: 'kubectl-json', what: `${kind} objects, cut`, versions: NO_VERSIONS, goVersion: '' };
    }
    return isLines ? { format: 'json-lines', what: 'lines of JSON', versions: NO_VERSIONS, goVersion: '' } : undefined;
  }
  const root = recordOf(value);
  const capture = readCaptureRecord(root);
  if (capture !== undefined) {
    const what = `the manifest of a capture of ${capture.target}`;
    return { format: 'capture-manifest', what, versions: NO_VERSIONS, goVersion: capture.goVersion, capture };
  }
  const server = recordOf(root['serverVersion'] ?? root);
  if (typeof server['gitVersion'] === 'string') return version(server['gitVersion'], textOf(server['goVersion']));
  const items = Array.isArray(root['items']) ? root['items'].map(recordOf) : [];
  const kind = textOf(root['kind']).replace(/List$/, '') || textOf(items[0]?.['kind']);
  if (kind === '' && items.length === 0) return { format: 'json', what: 'JSON', versions: NO_VERSIONS, goVersion: '' };
  const isList = Array.isArray(root['items']);
  const versions = nodeVersions(isList ? items : [root]);
  const what = isList ? `${items.length} ${kind || 'object'} objects` : `a ${kind}`;
  return { format: 'kubectl-json', what, versions, goVersion: '' };
}

function nodeVersions(items: readonly Readonly<Record<string, unknown>>[]): Map<string, string> {
  const versions = new Map<string, string>();
  for (const item of items) {
    const info = recordOf(recordOf(item['status'])['nodeInfo']);
    const name = textOf(recordOf(item['metadata'])['name']);
    const kubelet = textOf(info['kubeletVersion']);
    if (name !== '' && kubelet !== '') versions.set(name, kubelet);
  }
  return versions;
}

const LOG_LINE =
  /^(?:[IWEF]\d{4} \d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d |\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|time=["\d]|level=|\[ *\d+\.\d+\] |-- (?:Logs|Journal) begin)/;

function isLog(text: string): boolean {
  const lines = text
    .slice(0, 20_000)
    .split('\n', 50)
    .filter(line => line.trim() !== '');
  const logged = lines.filter(line => LOG_LINE.test(line)).length;
  return logged > 0 && logged * 2 >= lines.length;
}
