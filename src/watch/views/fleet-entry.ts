/** What is known about a target without its history: enough to count it, to find it and to put it in its place. */
import { finiteOrNull } from '../../base/finite.ts';
import type { FleetRow } from './fleet.ts';
import { shownResourceOf } from '../incidents/cause-phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { Attributes } from '../../evidence/target.ts';

/** Every row of the fleet is one. */
export type FleetEntry = Pick<
  FleetRow,
  | 'target'
  | 'attributes'
  | 'verdict'
  | 'resource'
  | 'unit'
  | 'level'
  | 'slopePerHour'
  | 'timeToLimitHours'
  | 'lastSampleAt'
  | 'incidentId'
> & {
  /** Feature gates; rows do not show them. */
  readonly gates?: Attributes;
  readonly awaitsHistory?: boolean;
};

export function entryOf(target: WatchedTarget): FleetEntry {
  const shown = shownResourceOf(target);
  const limit = shown?.timeToLimitHours;
  return {
    target: target.name,
    attributes: target.attributes,
    verdict: target.verdict?.verdict ?? 'unknown',
    resource: shown?.resource ?? (target.samples.lastAt === undefined ? null : 'live heap'),
    unit: shown?.unit ?? 'bytes',
    level: finiteOrNull(shown?.level),
    slopePerHour: finiteOrNull(shown?.slopePerHour),
    timeToLimitHours: limit === undefined || !Number.isFinite(limit[0]) ? null : [limit[0], finiteOrNull(limit[1])],
    lastSampleAt: target.samples.lastAt ?? null,
    incidentId: target.incidentId ?? null,
    gates: target.gates,
    awaitsHistory: target.awaitsHistory,
  };
}

/** The value of an attribute or a feature gate; undefined if it has none. */
export function valueOf(
  { attributes, gates }: Pick<FleetEntry, 'attributes' | 'gates'>,
  key: string,
): string | undefined {
  return attributes[key] ?? gates?.[key];
}
