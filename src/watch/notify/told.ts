/**
 * What has been said already, so that a restart says nothing twice and forgets nothing. One setting of the store:
 *
 *     { "version": 1,
 *       "incidents": { "i-20261115-1957": { "verdict": "leak", "isCritical": false } },
 *       "alerts": [ { "incidentId": "i-...", "labels": {...}, "annotations": {...}, "startsAt": 1794769200,
 *                     "resolvedAt": null } ] }
 */
import { parseJson, recordOf } from '../../base/json.ts';
import type { Alert } from '../../store/notification.ts';

export interface ToldIncident {
  readonly verdict: 'watch' | 'leak' | 'folded';
  /** Once critical, it stays so: severities that go back and forth page people again and again. */
  readonly isCritical: boolean;
}

export interface RaisedAlert extends Omit<Alert, 'endsAt'> {
  readonly incidentId: string;
  /** Null while it is raised. */
  readonly resolvedAt: number | null;
}

export interface Told {
  readonly incidents: ReadonlyMap<string, ToldIncident>;
  readonly alerts: readonly RaisedAlert[];
}

export const NOTHING_TOLD: Told = { incidents: new Map(), alerts: [] };
export const TOLD_KEY = 'notify.told';
const VERSION = 1;

export function toldText({ incidents, alerts }: Told): string {
  return JSON.stringify({ version: VERSION, incidents: Object.fromEntries(incidents), alerts });
}

/** Of another version or damaged, it is as if nothing had been said. */
export function parseTold(text: string | undefined): Told {
  const { version, incidents, alerts } = recordOf(text === undefined ? undefined : parseJson(text));
  if (version !== VERSION || !Array.isArray(alerts)) return NOTHING_TOLD;
  return { incidents: new Map(Object.entries(recordOf(incidents) as Record<string, ToldIncident>)), alerts };
}
