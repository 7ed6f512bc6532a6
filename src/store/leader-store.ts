/**
 * What only the leader writes. Every commit first compares the term: what a leader writes that slept, and was replaced
 * meanwhile, is refused as a whole. Reads are those of the store.
 */
import type { IncidentStore } from './incident-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { PlanStore } from './plan-store.ts';
import type { SettingsStore } from './settings-store.ts';

export type LeaderCommit =
  | 'committed'
  | 'stale' // a later term leads: nothing is written, now or later
  | 'failed'; // the store does not answer: it is tried again with the next commit

export interface LeaderStore
  extends
    Pick<IncidentStore, 'putIncident'>,
    Pick<OutboxStore, 'putNotice' | 'dropNotice'>,
    Pick<SettingsStore, 'putSetting'>,
    Pick<PlanStore, 'addPlan' | 'addPlanRecord'> {
  commit(): Promise<LeaderCommit>;
}
