/**
 * What a triage says about its node: `oakum triage node/N -o json`. The file may have been edited, so its folder of
 * evidence is analysed again; only the figures of the live scrape and of the history come from it.
 */
import { type JsonRecord, listOf, optionalNumber, recordOf, textOf } from '../../base/json.ts';
import { nodeName } from '../../evidence/target.ts';
import type { NodeFinding } from './cluster-facts.ts';
import { RESOURCES } from '../../evidence/resource.ts';
import { mayLeak, VERDICTS } from '../../judge/verdict.ts';
import { rangeOf } from './of-watch.ts';

export interface TriageSummary {
  readonly node: string;
  /** '' if nothing was saved. */
  readonly folder: string;
  /** Without evidence and known leak: those come from the folder. */
  readonly finding: NodeFinding;
}

/** Undefined if it is not a triage of a node. */
export function readTriage(triage: JsonRecord): TriageSummary | undefined {
  const node = nodeName(textOf(triage['target']));
  if (triage['schema'] !== 'oakum.triage/v1' || node === undefined) return undefined;
  const scrape = recordOf(triage['scrape']);
  const limit = recordOf(triage['timeToLimit']);
  const rising = risingResource(triage);
  const name = textOf(rising['resource']) || textOf(limit['resource']);
  const resource = RESOURCES.find(one => one.resource === name);
  const level = resource?.resource === 'goroutines' ? scrape['goroutines'] : scrape['residentBytes'];
  const [low, high] = rangeOf(rising['slopeInterval']) ?? [];
  return {
    node,
    folder: textOf(recordOf(triage['evidence'])['folder']),
    finding: {
      node,
      verdict: VERDICTS.find(one => one === triage['verdict']) ?? 'unknown',
      sentence: textOf(triage['sentence']),
      resource: resource?.resource ?? null,
      unit: resource?.unit ?? null,
      level: optionalNumber(level) ?? null,
      slopePerHour: optionalNumber(rising['slopePerHour']) ?? null,
      slopeInterval: low === undefined || high === undefined || high === null ? null : [low, high],
      timeToLimitHours: rangeOf(limit['hours']),
      limit: optionalNumber(limit['limit']) ?? null,
      knownLeak: null,
      hazards: [],
      incident: null,
      evidence: null,
    },
  };
}

function risingResource(triage: JsonRecord): JsonRecord {
  const detected = recordOf(recordOf(triage['history'])['detected']);
  const resources = listOf(detected['resources']).map(recordOf);
  return resources.find(({ verdict }) => VERDICTS.some(one => one === verdict && mayLeak(one))) ?? {};
}

/** The triage with what its evidence shows; undefined: the folder has nothing about the node. */
export function withEvidence(summary: NodeFinding, found: NodeFinding | undefined): NodeFinding {
  if (found === undefined) return summary;
  const { resource, unit, slopePerHour, slopeInterval, knownLeak, hazards, evidence } = found;
  const own = summary.slopePerHour === null ? { resource, unit, slopePerHour, slopeInterval } : {};
  return { ...summary, ...own, knownLeak, hazards, evidence };
}
