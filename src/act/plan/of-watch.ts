/** What a running `oakum watch` says about a node: a row of its fleet, and the open incident. Both come from outside. */
import { type JsonRecord, listOf, optionalNumber, optionalText, recordOf, textOf } from '../../base/json.ts';
import { nodeName } from '../../evidence/target.ts';
import type { NodeFinding } from './cluster-facts.ts';
import type { PlanEvidence, PlannedLeak } from './plan.ts';
import { RESOURCES } from '../../evidence/resource.ts';
import { VERDICTS } from '../../judge/verdict.ts';
import { timeText } from '../../base/say.ts';

export interface WatchedNode {
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
