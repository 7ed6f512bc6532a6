/** Asks a running `oakum watch` what it knows about nodes. */
import { Failure } from '../../base/failure.ts';
import { type JsonRecord, listOf, recordOf, textOf } from '../../base/json.ts';
import { explain } from '../../diagnosis/replies/explain.ts';
import type { NodeFinding } from '../../model/cluster-facts.ts';
import { replyJson } from '../../model/reply-json.ts';
import { clusterOf, nodeName } from '../../model/target.ts';
import { findingOfWatch } from '../../plan/findings/of-watch.ts';
import type { TargetConnection } from '../../ports/target-connection.ts';

const MAX_BYTES = 64 * 1024 * 1024;

export interface AskedNodes {
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
  const fleet = await readJson(connection, '/api/v1/fleet', deadlineSeconds);
  if (fleet['schema'] !== 'oakum.fleet/v1')
    throw new Failure('no-answer', `${connection.address} does not answer as oakum watch does`);
  const rows = rowsOfCluster(listOf(fleet['rows']).map(recordOf), cluster, connection.address);
  const found = new Map<string, NodeFinding>();
  for (const row of rows.filter(one => isAsked(one, names))) {
    const id = textOf(row['incidentId']);
    const read = /^[\w-]{1,100}$/.test(id)
      ? await readJson(connection, `/api/v1/incidents/${id}`, deadlineSeconds)
      : {};
    const incident = read['schema'] === 'oakum.incident/v1' ? read : {};
    const isReadable = await canRead(connection, incident, deadlineSeconds);
    const finding = findingOfWatch({ row, incident, address: connection.address, isReadable });
    if (finding !== undefined) found.set(finding.node, finding);
  }
  return found;
}

/** Throws a Failure if the watch is of several clusters, and this is none of them. */
function rowsOfCluster(rows: readonly JsonRecord[], cluster: string, address: string): readonly JsonRecord[] {
  const clusters = new Set(rows.flatMap(({ target }) => clusterOf(textOf(target)) ?? []));
  if (clusters.size === 0) return rows;
  if (!clusters.has(cluster)) {
    const known = [...clusters].sort().join(', ');
    throw new Failure(
      'no-evidence',
      `${address} watches the clusters ${known}, and not ${cluster}; name the node as cluster/NAME/node/NAME`,
    );
  }
  return rows.filter(({ target }) => clusterOf(textOf(target)) === cluster);
}

function isAsked({ target, verdict }: JsonRecord, names: readonly string[] | undefined): boolean {
  const name = nodeName(textOf(target));
  return name !== undefined && (names === undefined ? verdict === 'leak' : names.includes(name));
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
