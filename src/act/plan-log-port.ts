import type { PlanRecord } from '../store/plan-log.ts';

/** The append-only log of a plan. */
export interface PlanLog {
  /** For messages. */
  readonly place: string;
  /** In order; empty if nothing was applied yet. A last line that a crash cut is left out. */
  read(): Promise<readonly PlanRecord[]>;
  /** Resolves when the record is on disk. */
  append(record: PlanRecord): Promise<void>;
}
