/** Evidence around the profiles: kubectl's JSON, version files, logs. It is kept as context and read for versions. */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { FileContent } from '../formats/file-content.ts';
import { FORMATS, type FormatName, type ProfileFormatName } from '../formats/registry.ts';
import { resolveStamp } from '../formats/log-stamp.ts';
import { type CaptureRecord, captureRecordOf } from './capture-record.ts';
import { RESOURCES, type ResourceSlug, type ResourceUnit } from '../resource.ts';
import { kindInStart } from '../formats/kube-objects.ts';

export interface Context {
  readonly what: string;
  /** Kubernetes versions by node; '' is the version of whatever lies beside the file. */
  readonly versions: ReadonlyMap<string, string>;
  readonly goVersion: string;
  /** From a log: the hosts that wrote it, and the processes that were killed for memory. */
  readonly hosts?: readonly string[];
  readonly kills?: readonly LoggedKill[];
  /** From the manifest of a capture: what it says about the files beside it. */
  readonly capture?: CaptureRecord;
  /** From the answer of `oakum gate`. */
  readonly gate?: GateRecord;
}

/** What a gate decided about the process whose profiles lie beside its answer. */
export interface GateRecord {
  readonly operations: number;
  /** Families that each operation leaves behind, by their ids. */
  readonly leaks: ReadonlySet<string>;
  readonly totals: readonly GateTotal[];
}

/** A whole resource that each operation leaves more of. */
export interface GateTotal {
  readonly resource: ResourceSlug;
  /** As the gate calls it: `objects` are of the heap. */
  readonly name: string;
  readonly unit: ResourceUnit;
  readonly from: number;
  readonly to: number;
  readonly perOperation: number;
}

export interface LoggedKill {
  /** '' if the log does not name it. */
  readonly host: string;
  readonly process: string;
  readonly atSeconds: number | undefined;
  readonly residentBytes: number | undefined;
}

export type ContextFormatName = Exclude<FormatName, ProfileFormatName | 'exposition'>;

type Reader = (file: FileContent, mtimeSeconds: number | undefined) => Context;

const READERS: Readonly<Record<ContextFormatName, Reader>> = {
  'range-query': () => plain('a Prometheus response, which oakum detect and oakum cycle read'),
  'capture-manifest': readCapture,
  'bundle-manifest': () => plain('the manifest of a bundle'),
  log: readLog,
  version: file => versionContext(FORMATS.version.read(file), ''),
  'json-lines': () => plain('lines of JSON'),
  'kubectl-json': readKubeJson,
  json: readJson,
};

export function readContext(format: ContextFormatName, file: FileContent, mtimeSeconds: number | undefined): Context {
  return READERS[format](file, mtimeSeconds);
}

/** More kills than this change nothing in the answer. */
const MAX_KILLS = 20;

function readLog(file: FileContent, mtimeSeconds: number | undefined): Context {
  const hosts = new Set<string>();
  const kills: LoggedKill[] = [];
  for (const { event, stamp, host } of FORMATS.log.read(file)) {
    if (host !== '') hosts.add(host);
    if (event.kind !== 'oom-kill') continue;
    const clock = { referenceSeconds: mtimeSeconds, bootSeconds: undefined, utcOffsetSeconds: 0 };
    const { process, residentBytes } = event.kill;
    kills.push({ host, process, atSeconds: resolveStamp(stamp, clock), residentBytes });
    if (kills.length > MAX_KILLS) kills.shift();
  }
  return { ...plain('a log'), hosts: [...hosts], kills };
}

function readJson(file: FileContent): Context {
  const { schema, operations, comparedWith, families, measures } = recordOf(file.json);
  // In a comparison the answer is about the difference of two processes.
  if (schema !== 'oakum.gate/v1' || typeof operations !== 'number' || comparedWith !== null) return plain('JSON');
  const leaks = listOf(families)
    .map(recordOf)
    .filter(one => one['decision'] === 'leaks' && one['exception'] === null);
  const totals = listOf(measures).flatMap(one => gateTotal(recordOf(one)));
  const gate = { operations, leaks: new Set(leaks.map(one => textOf(one['family']))), totals };
  return { ...plain('the answer of a gate'), gate };
}

function gateTotal({ decision, per, scope, resource: name, unit, levels, growth }: JsonRecord): GateTotal[] {
  if (decision !== 'leaks' || per !== 'operation' || scope !== null) return [];
  const found = RESOURCES.find(one => one.resource === name || one.slug === name);
  const resource = name === 'objects' ? 'heap' : found?.slug;
  const [from, to, perOperation] = [listOf(levels).at(0), listOf(levels).at(-1), listOf(growth).at(1)];
  if (resource === undefined || typeof from !== 'number' || typeof to !== 'number') return [];
  if (typeof perOperation !== 'number') return [];
  return [{ resource, name: textOf(name), unit: unit === 'bytes' ? 'bytes' : 'count', from, to, perOperation }];
}

function plain(what: string, versions: ReadonlyMap<string, string> = new Map()): Context {
  return { what, versions, goVersion: '' };
}

function versionContext(gitVersion: string, goVersion: string): Context {
  return { what: `version ${gitVersion}`, versions: new Map([['', gitVersion]]), goVersion };
}

function readCapture(file: FileContent): Context {
  const capture = captureRecordOf(FORMATS['capture-manifest'].read(file));
  return { ...plain(`the manifest of a capture of ${capture.target}`), goVersion: capture.goVersion, capture };
}

function readKubeJson(file: FileContent): Context {
  if (file.json === undefined) return plain(`${kindInStart(file) ?? 'object'} objects, cut`);
  const root = recordOf(file.json);
  const server = recordOf(root['serverVersion'] ?? root);
  if (typeof server['gitVersion'] === 'string') {
    return versionContext(server['gitVersion'], textOf(server['goVersion']));
  }
  const isList = Array.isArray(root['items']);
  const items = listOf(root['items']).map(recordOf);
  const kind = textOf(root['kind']).replace(/List$/, '') || textOf(items[0]?.['kind']);
  if (kind === '' && items.length === 0) return plain('JSON');
  const versions = nodeVersions(isList ? items : [root]);
  return plain(isList ? `${items.length} ${kind || 'object'} objects` : `a ${kind}`, versions);
}

function nodeVersions(items: readonly JsonRecord[]): Map<string, string> {
  const versions = new Map<string, string>();
  for (const item of items) {
    const info = recordOf(recordOf(item['status'])['nodeInfo']);
    const name = textOf(recordOf(item['metadata'])['name']);
    const kubelet = textOf(info['kubeletVersion']);
    if (name !== '' && kubelet !== '') versions.set(name, kubelet);
  }
  return versions;
}
