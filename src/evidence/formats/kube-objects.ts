/**
 * What kubectl prints as JSON: one object, a list, or (from `--watch`) objects one after another. Everything that does
 * not parse is left out; `isCut` says that something was.
 */
import { type JsonRecord, parseJson, recordOf, textOf, listOf } from '../../base/json.ts';
import { decodeText } from '../../base/text.ts';
import type { BootObservation, ConditionObservation } from '../cycle/cycle.ts';
import type { FileContent } from './file-content.ts';

export type KubeObject = JsonRecord;

export interface KubeObjects {
  readonly objects: readonly KubeObject[];
  readonly isCut: boolean;
}

/** Longer text is not taken apart: it would cost more memory than the answer is worth. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_OBJECTS = 500_000;

/** `json` is the parsed content, if the caller has it. */
export function readKubeObjects(bytes: Uint8Array, json?: unknown): KubeObjects {
  if (json !== undefined) return { objects: flatten(json), isCut: false };
  const text = decodeText(bytes, 0, Math.min(bytes.length, MAX_BYTES));
  const whole = parseJson(text);
  if (whole !== undefined) return { objects: flatten(whole), isCut: false };
  const objects: KubeObject[] = [];
  let isCut = bytes.length > MAX_BYTES;
  for (const part of topLevelObjects(text)) {
    const value = objects.length < MAX_OBJECTS ? parseJson(part) : undefined;
    if (value === undefined) isCut = true;
    else for (const object of flatten(value)) objects.push(object);
  }
  return { objects, isCut };
}

function flatten(value: unknown): KubeObject[] {
  if (Array.isArray(value)) return value.slice(0, MAX_OBJECTS).map(recordOf);
  const { items } = recordOf(value);
  return Array.isArray(items) ? items.slice(0, MAX_OBJECTS).map(recordOf) : [recordOf(value)];
}

/** The texts of objects that follow one another; the last may be cut. */
function* topLevelObjects(text: string): Generator<string> {
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = stringEnd(text, i + 1);
    else if (char === '{' && depth++ === 0) start = i;
    else if (char === '}' && depth > 0 && --depth === 0) yield text.slice(start, i + 1);
  }
  if (depth > 0) yield text.slice(start);
}

/** Where the quote is that ends the string: braces in it do not count. */
function stringEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return text.length;
}

/** RFC 3339 to unix seconds. */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value);
  const millis = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  return Number.isFinite(millis) ? millis / 1000 : undefined;
}

/** Nodes: their conditions, boot id, and since when they are registered. */
export interface NodeStatus {
  readonly node: string;
  readonly conditions: readonly Omit<ConditionObservation, 'source'>[];
  readonly boot: Omit<BootObservation, 'source'> | undefined;
}

/** No node has more; node-problem-detector adds a dozen. */
const MAX_CONDITIONS = 200;

/** Undefined when the object is not a node. That a node is registered becomes a condition `Registered`. */
export function readNodeStatus(object: KubeObject): NodeStatus | undefined {
  const status = recordOf(object['status']);
  const { nodeInfo, conditions } = status;
  const metadata = recordOf(object['metadata']);
  const node = textOf(metadata['name']);
  const kind = textOf(object['kind']);
  if (node === '' || !Array.isArray(conditions) || (kind !== 'Node' && nodeInfo === undefined)) return undefined;
  const read = conditions.slice(0, MAX_CONDITIONS).map(one => conditionOf(recordOf(one)));
  const seen = read.flatMap(({ atSeconds }) => (atSeconds === undefined ? [] : [atSeconds]));
  const atSeconds = seen.length === 0 ? undefined : Math.max(...seen);
  const created = timeOf(metadata['creationTimestamp']);
  if (created !== undefined) {
    const registered = { type: 'Registered', status: 'True', reason: '', message: '', sinceSeconds: created };
    read.push({ kind: 'condition', atSeconds: created, ...registered });
  }
  const bootId = textOf(recordOf(nodeInfo)['bootID']);
  return { node, conditions: read, boot: bootId === '' ? undefined : { kind: 'boot', atSeconds, bootId } };
}

function conditionOf(one: KubeObject): Omit<ConditionObservation, 'source'> {
  const sinceSeconds = timeOf(one['lastTransitionTime']);
  return {
    kind: 'condition',
    atSeconds: timeOf(one['lastHeartbeatTime']) ?? sinceSeconds,
    type: textOf(one['type']),
    status: textOf(one['status']),
    reason: textOf(one['reason']),
    message: textOf(one['message']).slice(0, 1000),
    sinceSeconds,
  };
}

/** Whether JSON comes from Kubernetes: objects as kubectl prints them, versions, a kubelet's configuration or statistics. */

/** For JSON that is cut, and for objects that follow one another, the first kilobytes decide. */
export function sniffKubeJson(file: FileContent): boolean {
  if (!file.isJsonLike) return false;
  if (file.json === undefined) return kindInStart(file) !== undefined;
  const root = recordOf(file.json);
  const server = recordOf(root['serverVersion'] ?? root['clientVersion'] ?? root);
  return (
    textOf(root['kind']) !== '' ||
    listOf(root['items']).length > 0 ||
    textOf(server['gitVersion']) !== '' ||
    Object.keys(recordOf(root['kubeletconfig'])).length > 0 ||
    textOf(recordOf(root['node'])['nodeName']) !== ''
  );
}

/** The first kind named in JSON that cannot be parsed as a whole: `Node` of a NodeList. */
export function kindInStart({ start }: FileContent): string | undefined {
  return /"kind": ?"(\w+?)(?:List)?"/.exec(start)?.[1];
}
