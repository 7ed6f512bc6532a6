/** Where the verdict of a plan comes from: a running watch, a triage as JSON, or a folder of evidence. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { parseJsonBytes, recordOf } from '../../base/json.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { watchFindings } from '../../act/plan/watch-findings.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { NodeFinding } from '../../act/plan/cluster-facts.ts';
import { clusterOf, nodeName } from '../../evidence/target.ts';
import type { PileItem } from '../../evidence/pile.ts';
import {
  findingsOfAnalysis,
  readTriage,
  type TriageSummary,
  withEvidence,
  withScrapedSlope,
} from '../../act/plan/evidence-findings.ts';
import type { Io } from '../io.ts';
import { catalogueOf } from './load-catalogue.ts';
import { type OpenOptions, openUrl } from './open-target.ts';
import { readPaths } from './read-source.ts';

export interface FindingsRequest {
  /** URLs, files and folders. */
  readonly from: readonly string[];
  readonly fromTokenFile: string;
  readonly catalogue: string | undefined;
  readonly options: OpenOptions & { readonly requestTimeoutSeconds: number };
  /** Its name in a watch of several clusters. */
  readonly cluster: string;
  /** Undefined for all that leak. */
  readonly names: readonly string[] | undefined;
}

const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** By the name of the node; the later source wins. */
export async function readFindings(request: FindingsRequest, io: Io): Promise<Map<string, NodeFinding>> {
  const found = new Map<string, NodeFinding>();
  for (const source of request.from)
    for (const [node, finding] of await findingsIn(source, request, io)) found.set(node, finding);
  return found;
}

async function findingsIn(source: string, request: FindingsRequest, io: Io): Promise<Map<string, NodeFinding>> {
  const { options, fromTokenFile, names, cluster } = request;
  if (/^https?:\/\//i.test(source)) {
    const connection = openUrl(source, { ...options, tokenFile: fromTokenFile });
    return watchFindings(connection, { names, cluster }, options.requestTimeoutSeconds);
  }
  const triage = await triageIn(resolve(io.cwd, source));
  if (triage === undefined) return analysed(source, request, io);
  const { node, folder, finding } = triage;
  const isThere = folder !== '' && (await stat(resolve(io.cwd, folder)).catch(() => undefined)) !== undefined;
  const found = isThere ? (await analysed(folder, request, io)).get(node) : undefined;
  return new Map([[node, withEvidence(finding, found)]]);
}

async function analysed(path: string, request: FindingsRequest, io: Io): Promise<Map<string, NodeFinding>> {
  const catalogue = await catalogueOf(request.catalogue, io);
  let bytes = 0;
  const counted = async function* (): AsyncIterable<PileItem> {
    for await (const item of readPaths([path], io)) {
      if (item.kind === 'member') bytes += item.bytes.length;
      yield item;
    }
  };
  const pile = await readPile(counted(), { families: familiesOf, keepStacks: false });
  const found = findingsOfAnalysis(analyzePile(pile, { catalogue }), { where: path, bytes });
  return new Map(
    [...found].map(([name, finding]) => {
      const slope = withScrapedSlope(finding, pile.snapshots);
      // Evidence from a watch of several clusters: only what is of this one is about its nodes.
      const node = clusterOf(name) === request.cluster ? (nodeName(name) ?? name) : name;
      return [node, { ...slope, node }];
    }),
  );
}

/** Undefined if it is a folder, or a file of something else. */
async function triageIn(path: string): Promise<TriageSummary | undefined> {
  const found = await stat(path);
  if (!found.isFile() || found.size > MAX_JSON_BYTES) return undefined;
  return readTriage(recordOf(parseJsonBytes(await readFile(path), MAX_JSON_BYTES)));
}
