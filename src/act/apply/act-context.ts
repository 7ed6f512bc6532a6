/** What the steps of an apply share. */
import type { Plan } from '../plan/plan.ts';
import type { StepKind } from '../plan/plan-step.ts';
import type { StopReason } from '../../store/plan-log.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { CommandRunner } from '../ports.ts';
import type { TargetConnection, ClusterActions, Outcome } from '../../live/ports.ts';
import type { Journal } from './journal.ts';
import type { LeaseLock } from './lease-lock.ts';

export interface ActPorts {
  readonly actions: ClusterActions;
  readonly clock: WatchClock;
  readonly commands: CommandRunner;
  /** To the kubelet's metrics. */
  readonly kubelet: (node: string) => Promise<TargetConnection>;
  /** A line for whoever watches. */
  readonly say: (line: string) => void;
}

export interface ActContext extends ActPorts {
  readonly plan: Plan;
  readonly journal: Journal;
  readonly holder: string;
  readonly hasEnded: (holder: string) => boolean;
  readonly signal: AbortSignal;
  /** Nodes that were begun within the budget of the hour, and are not restarted yet. */
  readonly begun: Set<string>;
  /** Set by the step that takes it. */
  lock: LeaseLock | undefined;
}

export type StepEnd =
  | { readonly kind: 'done'; readonly detail: string }
  | { readonly kind: 'stop'; readonly why: StopReason; readonly detail: string };

export function stop(why: StopReason, detail: string): StepEnd {
  return { kind: 'stop', why, detail };
}

/** What the API server's answer means for a step. */
export function stopFor(outcome: Exclude<Outcome<unknown>, { kind: 'done' }>, what: string): StepEnd {
  if (outcome.kind === 'lost') return stop('no-answer', `${what}: the API server does not answer: ${outcome.message}`);
  return stop(outcome.status === 403 ? 'forbidden' : 'failure', `${what}: ${outcome.message}`);
}

export const STEP_VERBS: Readonly<Record<StepKind, string>> = {
  lock: 'Lock',
  announce: 'Announce',
  cordon: 'Cordon',
  drain: 'Drain',
  restart: 'KubeletRestart',
  'wait-ready': 'WaitReady',
  'delete-node': 'DeleteNode',
  uncordon: 'Uncordon',
  withdraw: 'Withdraw',
  verify: 'Verify',
  unlock: 'Unlock',
};
