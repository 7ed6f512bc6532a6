/** What `oakum apply` does elsewhere, by the Events that it leaves on the node. */
import type { WatchPlanStepState } from './watch-plan.ts';
import { STEP_VERBS } from '../apply/act-context.ts';
import type { StepKind } from '../plan/plan-step.ts';
import type { WatchedEvent } from '../../store/records.ts';

export interface SeenStep {
  readonly planId: string;
  readonly node: string;
  readonly at: number;
  readonly kind: StepKind;
  readonly reason: string;
  readonly state: WatchPlanStepState;
  readonly text: string;
}

const EVENT = /^([A-Za-z]+?)(Starting|Succeeded|Failed): (plan-[0-9a-z-]{1,80}): ?([\s\S]*)$/;
const STATES = { Starting: 'running', Succeeded: 'done', Failed: 'failed' } as const;
const KINDS = new Map(Object.entries(STEP_VERBS).map(([kind, verb]) => [verb, kind as StepKind]));

/** Undefined if the event is not one of ours. */
export function seenStep({ at, text }: WatchedEvent, node: string): SeenStep | undefined {
  const [, verb = '', phase = '', planId = '', said = ''] = EVENT.exec(text) ?? [];
  const kind = KINDS.get(verb);
  if (kind === undefined) return undefined;
  return { planId, node, at, kind, reason: `${verb}${phase}`, state: STATES[phase as keyof typeof STATES], text: said };
}
