import type { PlanRecord } from './plan-log.ts';
import type { StoredPlan } from './stored-records.ts';

/**
 * Plans that were made in a watch, and what was done with them. Both are only added to: nothing is ever replaced. Writes
 * become durable with the next commit, and return false if they are not taken; reads see what is committed.
 */
export interface PlanStore {
  addPlan(plan: StoredPlan): boolean;
  addPlanRecord(record: PlanRecord): boolean;
  /** Newest first. */
  plans(): Promise<readonly StoredPlan[]>;
  /** In order. */
  planRecords(planId: string): Promise<readonly PlanRecord[]>;
}
