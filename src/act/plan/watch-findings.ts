/** What a running `oakum watch` knows about nodes: asks it, and reads its answers, which come from outside. */
import { type JsonRecord, listOf, recordOf, textOf, optionalNumber, optionalText } from '../../base/json.ts';
import { explain } from '../../live/doctor/explain.ts';
import type { NodeFinding } from './cluster-facts.ts';
import { clusterOf, inCluster, nodeName, targetText } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { replyJson } from '../../live/reply.ts';
import { Failure } from '../../base/errors.ts';
import type { PlanEvidence, PlannedLeak } from './plan.ts';
import { RESOURCES } from '../../evidence/resource.ts';
import { VERDICTS } from '../../judge/verdict.ts';
import { timeText } from '../../base/say.ts';

const MAX_BYTES = 64 * 1024 * 1024;

interface AskedNodes {
  /** Undefined for all that leak. */
  readonly names: readonly string[] | undefined;
  /** If the watch is of several clusters, only the nodes of this one: others may have nodes of the same name. */
  readonly cluster: string;
}

export async function watchFindings(
  connection: TargetConnection,
  { names, cluster }: AskedNodes,
  deadlineSeconds: number,
): Promise<Map<string, NodeFinding>> {
  const read = (path: string): Promise<JsonRecord> => readJson(connection, path, deadlineSeconds);
  const status = await read('/api/v1/status');
  const clusters = listOf(status['clusters']).map(one => textOf(recordOf(one)['name']));
  if (clusters.length > 0 && !clusters.includes(cluster))
    throw new Failure(
      'no-evidence',
      `${connection.address} watches the clusters ${clusters.sort().join(', ')}, and not ${cluster}; name the node as cluster/NAME/node/NAME`,
    );
  const readFleet = async (query: string): Promise<JsonRecord> => {
    const fleet = await read(`/api/v1/fleet?hours=1&${query}`);
    if (fleet['schema'] === 'oakum.fleet/v1') return fleet;
    throw new Failure('no-answer', `${connection.address} does not answer as oakum watch does`);
  };
  const of = clusters.length === 0 ? undefined : cluster;
  const rows = names === undefined ? await leakingRows(readFleet, of) : await rowsOf(readFleet, names, of);
  const found = new Map<string, NodeFinding>();
  for (const row of rows) {
    const id = textOf(row['incidentId']);
    const answer = /^[\w-]{1,100}$/.test(id) ? await read(`/api/v1/incidents/${id}`) : {};
    const incident = answer['schema'] === 'oakum.incident/v1' ? answer : {};
    const isReadable = await canRead(connection, incident, deadlineSeconds);
    const finding = findingOfWatch({ row, incident, address: connection.address, isReadable });
    if (finding !== undefined) found.set(finding.node, finding);
  }
  return found;
}

type ReadFleet = (query: string) => Promise<JsonRecord>;

/** The nodes with these names, as far as they are watched. */
async function rowsOf(
  read: ReadFleet,
  names: readonly string[],
  cluster: string | undefined,
): Promise<readonly JsonRecord[]> {
  const rows: JsonRecord[] = [];
  for (const name of names) {
    const target = inCluster(targetText({ kind: 'node', name }), cluster);
    const { found } = await read(`limit=0&find=${encodeURIComponent(target)}`);
    const row = recordOf(recordOf(found)['row']);
    if (textOf(row['target']) === target) rows.push(row);
  }
  return rows;
}

const PAGE = 1000;
const MAX_PAGES = 1000;

/** All nodes that leak, page by page; in the order of their names, which no verdict changes meanwhile. */
async function leakingRows(read: ReadFleet, cluster: string | undefined): Promise<readonly JsonRecord[]> {
  const rows = new Map<string, JsonRecord>();
  for (let page = 0; page < MAX_PAGES; page++) {
    const fleet = await read(`verdict=leak&sort=name&limit=${PAGE}&offset=${page * PAGE}`);
    for (const row of listOf(fleet['rows']).map(recordOf)) {
      const target = textOf(row['target']);
      const isLeakingNode = row['verdict'] === 'leak' && nodeName(target) !== undefined;
      if (isLeakingNode && clusterOf(target) === cluster) rows.set(target, row);
    }
    if (!((page + 1) * PAGE < Number(fleet['matching']))) break;
  }
  return [...rows.values()];
}

async function readJson(connection: TargetConnection, path: string, deadlineSeconds: number): Promise<JsonRecord> {
  const reply = await connection.get(path, { deadlineSeconds, maxBytes: MAX_BYTES });
  const why = explain(reply, { ...connection, path });
  if (why !== undefined) throw new Failure('no-answer', `${connection.address}: ${why.sentence}; ${why.nextStep}`);
  return replyJson(reply, MAX_BYTES);
}

/** One stored file of the incident comes back. */
async function canRead(connection: TargetConnection, incident: JsonRecord, deadlineSeconds: number): Promise<boolean> {
  const captures = listOf(incident['captures']).map(recordOf);
  const file = captures.flatMap(capture => listOf(capture['files']).map(recordOf))[0];
  const sha256 = file?.['sha256'];
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return false;
  const reply = await connection.get(`/api/v1/profiles/${sha256}`, { deadlineSeconds, maxBytes: MAX_BYTES });
  return reply.kind === 'answer' && reply.status === 200 && reply.body.length > 0;
}

/** What a running `oakum watch` says about a node: a row of its fleet, and the open incident. Both come from outside. */

interface WatchedNode {
  /** A FleetRow. */
  readonly row: JsonRecord;
  /** An IncidentView; empty if there is none. */
  readonly incident: JsonRecord;
  /** The address of the watch. */
  readonly address: string;
  /** Whether a stored file of the incident came back. */
  readonly isReadable: boolean;
}

/** Undefined if the row is not about a node. */
export function findingOfWatch({ row, incident, address, isReadable }: WatchedNode): NodeFinding | undefined {
  const node = nodeName(textOf(row['target']));
  if (node === undefined) return undefined;
  const name = textOf(incident['resource']) || textOf(row['resource']);
  const resource = RESOURCES.find(one => one.resource === name);
  const [first] = listOf(recordOf(incident['analysis'])['findings']).map(recordOf);
  const match = bestMatch(first);
  return {
    node,
    verdict: VERDICTS.find(one => one === row['verdict']) ?? 'unknown',
    sentence: textOf(incident['sentence']) || textOf(row['reason']),
    resource: resource?.resource ?? null,
    unit: resource?.unit ?? null,
    level: optionalNumber(row['level']) ?? null,
    slopePerHour: optionalNumber(row['slopePerHour']) ?? null,
    slopeInterval: null,
    timeToLimitHours: rangeOf(row['timeToLimitHours']),
    limit: null,
    knownLeak: match === undefined ? leakOfCause(recordOf(row['cause'])) : leakOfMatch(match),
    hazards: textsIn(match?.['hazards']),
    incident: optionalText(row['incidentId']) ?? null,
    evidence: evidenceOf(incident, address, isReadable),
  };
}

function bestMatch(finding: JsonRecord | undefined): JsonRecord | undefined {
  const matches = listOf(finding?.['matches']).map(recordOf);
  return matches.find(({ affected }) => affected !== 'not-affected' && affected !== 'fixed');
}

function leakOfMatch(match: JsonRecord): PlannedLeak {
  return {
    id: textOf(match['id']),
    ref: textOf(match['ref']),
    title: textOf(match['title']),
    isConfirmed: match['grade'] === 'confirmed',
    fixedIn: textsIn(match['fixedIn']),
    sideEffects: textsIn(match['sideEffects']),
  };
}

function leakOfCause(cause: JsonRecord): PlannedLeak | null {
  const ref = textOf(cause['ref']);
  if (ref === '') return null;
  const title = textOf(cause['title']);
  return {
    id: ref,
    ref,
    title,
    isConfirmed: cause['isConfirmed'] === true,
    fixedIn: textsIn(cause['fixedIn']),
    sideEffects: [],
  };
}

function evidenceOf(incident: JsonRecord, address: string, isReadable: boolean): PlanEvidence | null {
  const captures = listOf(incident['captures']).map(recordOf);
  const files = captures.flatMap(capture => listOf(capture['files']).map(recordOf));
  if (files.length === 0) return null;
  const newest = Math.max(...captures.map(({ at }) => optionalNumber(at) ?? 0));
  return {
    where: `${address}/api/v1/incidents/${textOf(incident['id'])}/bundle`,
    fileCount: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + Math.max(0, Math.floor(optionalNumber(bytes) ?? 0)), 0),
    takenAt: newest > 0 ? timeText(Math.floor(newest)) : null,
    isReadable,
  };
}

function textsIn(value: unknown): string[] {
  return listOf(value).filter(one => typeof one === 'string');
}

/** `[19, 26]`, or `[19, null]` without an upper end. */
export function rangeOf(value: unknown): readonly [number, number | null] | null {
  const [low, high] = listOf(value);
  return typeof low !== 'number' ? null : [low, typeof high === 'number' ? high : null];
}
