/**
 * What `apply` writes to `plan.log.jsonl`, one record per line, each on disk before the next thing is done. A resumed
 * apply reads it: a step that ended is not done again, one that only began is looked at first.
 *
 *     apply-began  step-began  request  pod  request  step-ended  ...  verified  apply-ended
 */

export type PlanRecord = PlanRecordHead & PlanRecordBody;

export interface PlanRecordHead {
  readonly schema: 'oakum.plan-log/v1';
  /** From 1 on, without a gap. */
  readonly number: number;
  /** RFC 3339, with milliseconds. */
  readonly at: string;
  readonly planId: string;
  readonly planHash: string;
  /** The user as the API server knows them, or of the machine. */
  readonly actor: string;
}

export type PlanRecordBody =
  | { readonly kind: 'apply-began'; readonly oakumVersion: string; readonly isResumed: boolean }
  | { readonly kind: 'step-began'; readonly step: string; readonly node: string | null }
  /** Every request that changes something, and its answer. */
  | {
      readonly kind: 'request';
      readonly step: string;
      readonly method: string;
      readonly path: string;
      /** Null: no answer. */
      readonly status: number | null;
      readonly answer: string;
    }
  /** On disk before the command does much: a resumed apply ends what is left of it. */
  | {
      readonly kind: 'command-began';
      readonly step: string;
      readonly argv: readonly string[];
      readonly pid: number;
      readonly startTicks: number | null;
    }
  /** A command that was run, or printed for someone else. */
  | {
      readonly kind: 'command';
      readonly step: string;
      readonly argv: readonly string[];
      readonly exitCode: number | null;
      readonly output: string;
    }
  | {
      readonly kind: 'pod';
      readonly step: string;
      readonly namespace: string;
      readonly name: string;
      readonly uid: string;
      readonly outcome: 'evicted' | 'gone' | 'refused' | 'left' | 'replaced';
      readonly detail: string;
    }
  | {
      readonly kind: 'step-ended';
      readonly step: string;
      readonly node: string | null;
      readonly outcome: StepOutcome;
      readonly detail: string;
      readonly tookSeconds: number;
    }
  | {
      readonly kind: 'undone';
      readonly step: string;
      /** `kept`: it stays on purpose, because nobody knows that the node is well. */
      readonly outcome: 'undone' | 'nothing-to-undo' | 'cannot' | 'failed' | 'kept';
      readonly detail: string;
    }
  /** Nothing more is begun: a budget, a precondition, a failure, the user. */
  | { readonly kind: 'stopped'; readonly why: StopReason; readonly step: string | null; readonly detail: string }
  | { readonly kind: 'verified'; readonly node: string; readonly outcome: string; readonly detail: string }
  | { readonly kind: 'apply-ended'; readonly outcome: 'done' | 'stopped' | 'aborted'; readonly detail: string };

export type StepOutcome = 'done' | 'already-done' | 'skipped' | 'failed';

export type StopReason =
  | 'precondition'
  | 'failure'
  | 'too-many-not-ready'
  | 'per-hour'
  | 'cool-down'
  | 'lock-lost'
  | 'forbidden'
  | 'no-answer'
  | 'expired'
  | 'interrupted';
