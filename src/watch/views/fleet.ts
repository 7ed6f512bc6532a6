/**
 * The fleet, as `GET /api/v1/fleet` answers: what is known about all targets, and the rows of one window.
 *
 *     all targets  ->  those that match, in order  ->  rows[offset ... offset + limit]
 *     counts           matching                        with shape and heat map
 */
import type { Verdict } from '../../judge/verdict.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { TargetCause, TimeBins } from '../watch-model.ts';

export const FLEET_SORTS = ['worst', 'name', 'level', 'slope', 'limit'] as const;
export type FleetSort = (typeof FLEET_SORTS)[number];

/** Which rows, and in which order. */
export interface FleetQuery {
  readonly offset: number;
  readonly limit: number;
  /** Every word occurs in the name, an attribute, the resource, the cause or the verdict. */
  readonly search: string;
  /** One of these; empty for any. */
  readonly verdicts: readonly Verdict[];
  /** All of these. */
  readonly is: readonly (readonly [attribute: string, value: string])[];
  readonly sort: FleetSort;
  /** The attribute whose values are counted; '' for the one that says most. */
  readonly by: string;
  /** A target whose place among the rows is asked for; '' for none. */
  readonly find: string;
}

/** The most rows of one answer, and what is sent if nothing else is asked for. */
export const MAX_FLEET_ROWS = 5000;

export const WHOLE_FLEET: FleetQuery = {
  offset: 0,
  limit: MAX_FLEET_ROWS,
  search: '',
  verdicts: [],
  is: [],
  sort: 'worst',
  by: '',
  find: '',
};

export type VerdictCounts = Readonly<Record<Verdict, number>>;

export interface FleetView {
  readonly schema: 'oakum.fleet/v1';
  readonly at: number;
  /** "3 of 214 nodes leak, all on v1.36.0; first limit in about 19 h (15-26 h)." */
  readonly sentence: string;
  /** Of all that is watched, without Oakum itself. */
  readonly counts: VerdictCounts;
  /** The first of those that leak, worst first, each with its reason. */
  readonly leaking: readonly { readonly target: string; readonly reason: string }[];
  /** Attributes that group targets, the most useful first. */
  readonly attributes: readonly string[];
  /** The values of one of them; null if there is none. */
  readonly cohorts: FleetCohorts | null;
  readonly bins: TimeBins;
  /** All rows, Oakum's own too, and how many of them match. */
  readonly total: number;
  readonly matching: number;
  /** The place of the first row here among those that match. */
  readonly offset: number;
  /** Worst first, unless another order was asked for. */
  readonly rows: readonly FleetRow[];
  /** The target that was asked for; null if none was, or if it does not match. */
  readonly found: { readonly index: number; readonly row: FleetRow } | null;
}

/** The values of an attribute over the whole fleet. */
export interface FleetCohorts {
  readonly attribute: string;
  /** The one with the most leaks first; values that were filtered for are always among them. */
  readonly values: readonly FleetCohort[];
  /** How many more values there are. */
  readonly moreValues: number;
}

export interface FleetCohort {
  readonly value: string;
  readonly total: number;
  readonly counts: VerdictCounts;
}

export interface FleetRow {
  readonly target: string;
  /** For cohorts: version, pool, kernel, zone and others that are known. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly verdict: Verdict;
  /** The worst resource; null if nothing is known. */
  readonly resource: Resource | null;
  readonly unit: ResourceUnit;
  readonly level: number | null;
  readonly slopePerHour: number | null;
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** The verdict in one line. */
  readonly reason: string;
  /** Null if nothing grows, or if no capture shows why. */
  readonly cause: TargetCause | null;
  readonly lastSampleAt: number | null;
  /** Why there is no newer sample; null while it answers. */
  readonly stale: string | null;
  readonly incidentId: string | null;
  /** The worst verdict in each bin: '-' nothing known, 'h', 'w', 'l', 'u'; one letter per bin. */
  readonly heat: string;
  /** The worst resource's level in each bin. */
  readonly spark: readonly (number | null)[];
}

/** How a watch judges a node, for those who act on conditions. */
export interface NodeStanding {
  readonly node: string;
  readonly verdict: Verdict;
  /** The verdict in one line. */
  readonly sentence: string;
  /** The known leak, `kubernetes#139823`; null if it is none. */
  readonly leakRef: string | null;
  readonly incidentId: string | null;
  /** Unix seconds; null if it is not known when the process started. */
  readonly startSeconds: number | null;
  /** False after a restart, until it is known whether the leak came back: the verdict is still about the time before. */
  readonly isOfThisLife: boolean;
}
