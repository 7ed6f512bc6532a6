/**
 * Plans of `oakum watch` as its API and the incident page show them (docs/api.md). Times are Unix seconds.
 *
 *     make (anyone who may read)  ->  ready  ->  apply (a token for actions, and the node's name)  ->  verified
 *                                        \->  oakum apply -f, by a person elsewhere: seen by its Events
 */
import type { PlanAction, RestartVia } from '../plan/plan.ts';
import type { StepKind } from '../plan/plan-step.ts';

/** What someone asks for; everything else is the server's own setting. */
export interface NewPlan {
  /** As they call themselves. */
  readonly by: string;
  readonly action: PlanAction;
  /** Evict the pods before a restart. */
  readonly drain: boolean;
  /** Restart although the leak came back after the last restart. */
  readonly again: boolean;
  /** Why a missing proof or missing evidence does not matter; null if nothing is overruled. */
  readonly force: string | null;
  /** For a cohort in several clusters: which of them. A plan is for one. */
  readonly cluster?: string | undefined;
}

/** A person's word for one plan. */
export interface PlanApproval {
  /** The name that belongs to the token they presented. */
  readonly by: string;
  /** The hash of the calls that they read. */
  readonly hash: string;
  /** The name of the node, or how many there are, typed in. */
  readonly confirm: string;
}

export type WatchPlanState =
  | 'ready'
  | 'expired' // nothing was done, and it is too old
  | 'applying'
  | 'aborting'
  | 'applied'
  | 'stopped' // in the middle: it can be resumed for a while, and aborted
  | 'aborted'
  | 'applied elsewhere'; // by oakum apply, as its Events say

export type WatchPlanStepState = 'waiting' | 'running' | 'done' | 'failed' | 'undone' | 'unknown';

export interface WatchPlanStep {
  readonly id: string;
  readonly kind: StepKind;
  readonly sentence: string;
  /** What is sent or run, a line each: derived by this server, not read from the store. */
  readonly calls: readonly string[];
  /** It cannot be undone. */
  readonly isFinal: boolean;
  readonly state: WatchPlanStepState;
  /** When it came into this state; null if it waits. */
  readonly at: number | null;
  readonly detail: string;
}

export interface WatchPlan {
  readonly id: string;
  /** The hash of the calls that this server derives, with their order and conditions. */
  readonly hash: string;
  readonly action: PlanAction;
  readonly via: RestartVia | null;
  /**
   * The name of the node, or `12 nodes` for the plan of a cohort: what is typed in to approve it. Where there are
   * several clusters, `prod-eu/worker-17` and `12 nodes of prod-eu`.
   */
  readonly node: string;
  readonly sentence: string;
  /** What is expected of it, and when the leak is back. */
  readonly expected: string;
  /** Do this first or instead. */
  readonly first: readonly string[];
  readonly warnings: readonly string[];
  /** Why a gate was overruled: it is not proved, or no evidence is saved; null if none was. */
  readonly forcedBecause: string | null;
  readonly madeBy: string;
  readonly madeAt: number;
  readonly expiresAt: number;
  readonly state: WatchPlanState;
  /** What the state means, and what to do next. */
  readonly stateText: string;
  /** Who did it; null while nobody has. */
  readonly appliedBy: string | null;
  readonly appliedAt: number | null;
  readonly steps: readonly WatchPlanStep[];
  /** The last answer about whether it helped. */
  readonly verified: { readonly at: number; readonly outcome: string; readonly text: string } | null;
  readonly canApply: boolean;
  readonly canAbort: boolean;
}

/** A plan that was not made here, as the Events on the node show it. */
export interface SeenPlan {
  readonly id: string;
  readonly steps: readonly { readonly at: number; readonly reason: string; readonly text: string }[];
}

export interface PlansView {
  readonly schema: 'oakum.plans/v1';
  readonly incidentId: string;
  /** Null if the incident is that of a cohort, or not about a node. */
  readonly node: string | null;
  /** Of a cohort in several clusters: those to choose from. */
  readonly clusters?: readonly string[];
  /** Why no plan can be made here; null if one can. */
  readonly cannotPlan: string | null;
  /** Why this server does nothing to the cluster; null if it does what a person with a token for it approves. */
  readonly cannotAct: string | null;
  /** Newest first. */
  readonly plans: readonly WatchPlan[];
  readonly elsewhere: readonly SeenPlan[];
}

/** Why something asked for was not done. */
export type Refused = { readonly refused: string };

export interface WatchPlans {
  /** Why nothing may be done to the cluster; null if it may. */
  readonly cannotAct: string | null;
  /** Undefined when there is no such incident. */
  view(incidentId: string): Promise<PlansView | undefined>;
  make(incidentId: string, asked: NewPlan): Promise<WatchPlan | Refused | undefined>;
  /** The plan as the file that `oakum apply -f` takes. */
  file(planId: string): Promise<string | undefined>;
  /** Its log, one record per line. */
  log(planId: string): Promise<string | undefined>;
  apply(planId: string, approval: PlanApproval): Promise<WatchPlan | Refused | undefined>;
  abort(planId: string, approval: PlanApproval): Promise<WatchPlan | Refused | undefined>;
  /** What was done about an incident, in Markdown; '' if nothing was. */
  story(incidentId: string): Promise<string>;
  /** Whether plans that were applied helped, as far as it is known now. */
  follow(): Promise<void>;
  /** Interrupts what is under way; it can be resumed. */
  stop(): Promise<void>;
}
