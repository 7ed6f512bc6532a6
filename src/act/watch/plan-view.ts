/** One plan as the incident page shows it, from its file, its log and the Events on the node. */
import { formatAge } from '../../base/say.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { PlanStep, StepKind } from '../plan/plan-step.ts';
import type { Plan } from '../plan/plan.ts';
import type { StoredPlan, WatchedEvent } from '../../store/records.ts';
import type { SeenPlan, WatchPlan, WatchPlanState, WatchPlanStep, WatchPlanStepState } from './watch-plan.ts';
import { STEP_VERBS } from '../apply/act-context.ts';
import { callLines } from '../plan/call-text.ts';
import { stepsOf } from '../plan/derive-plan.ts';
import { standingOf } from '../apply/check-plan.ts';
import { stateIn } from '../apply/journal.ts';
import { typedName } from './plan-subject.ts';

interface PlanFacts {
  readonly stored: StoredPlan;
  readonly plan: Plan;
  /** Why this server would not do it, whatever its state. */
  readonly unsound: string | undefined;
  readonly records: readonly PlanRecord[];
  readonly seen: readonly SeenStep[];
  /** What this server is doing with it now. */
  readonly doing: 'applying' | 'aborting' | undefined;
  /** Why the last request to apply or abort it came to nothing. */
  readonly refused: string | undefined;
  readonly now: number;
}

export function planView(facts: PlanFacts): WatchPlan {
  const { stored, plan, records, now } = facts;
  const standing = standingOf(plan, records, now);
  const state = stateOf(facts, standing.kind);
  const [nodePlan] = plan.waves.flatMap(({ nodes }) => nodes);
  const began = records.find(({ kind }) => kind === 'apply-began');
  const verified = records.findLast(record => record.kind === 'verified');
  const isIdle = facts.doing === undefined;
  return {
    id: plan.id,
    hash: plan.callsHash,
    action: plan.action,
    via: plan.via,
    node: typedName(plan),
    sentence: plan.sentence,
    expected: nodePlan?.expected.sentence ?? '',
    first: plan.first,
    warnings: [...plan.leftOut.map(({ node, why }) => `${node} is left out: ${why}`), ...plan.warnings],
    forcedBecause: plan.why[0]?.forcedBecause ?? null,
    madeBy: stored.madeBy,
    madeAt: stored.madeAt,
    expiresAt: Date.parse(plan.expiresAt) / 1000,
    state,
    stateText: stateText(facts, state, standing.kind === 'refused' ? standing.detail : undefined),
    appliedBy: began?.actor ?? null,
    appliedAt: began === undefined ? null : Date.parse(began.at) / 1000,
    steps: stepsOf(plan).map(step => stepView(step, facts)),
    verified:
      verified?.kind !== 'verified'
        ? null
        : { at: Date.parse(verified.at) / 1000, outcome: verified.outcome, text: verified.detail },
    canApply:
      isIdle &&
      (state === 'ready' || state === 'stopped') &&
      standing.kind !== 'refused' &&
      facts.unsound === undefined,
    canAbort: facts.doing !== 'aborting' && records.length > 0 && state !== 'aborted',
  };
}

function stateOf(
  { records, seen, doing, plan }: PlanFacts,
  standing: ReturnType<typeof standingOf>['kind'],
): WatchPlanState {
  if (doing !== undefined) return doing;
  if (records.length === 0) {
    if (seen.some(({ planId }) => planId === plan.id)) return 'applied elsewhere';
    return standing === 'refused' ? 'expired' : 'ready';
  }
  if (standing === 'done') return 'applied';
  const end = records.findLast(({ kind }) => kind === 'apply-ended');
  return end?.kind === 'apply-ended' && end.outcome === 'aborted' ? 'aborted' : 'stopped';
}

function stateText({ plan, records, refused, unsound, now }: PlanFacts, state: WatchPlanState, late?: string): string {
  const isOver = state === 'applied' || state === 'aborted';
  const why = [refused, isOver ? undefined : unsound].flatMap(one => (one === undefined ? [] : `${one}. `)).join('');
  switch (state) {
    case 'ready':
      return `${why}Nothing has been done. It is good for ${formatAge(Math.max(0, Date.parse(plan.expiresAt) / 1000 - now))} more.`;
    case 'expired':
      return `${why}Nothing was done, and the plan is too old now: make a new one.`;
    case 'applying':
      return 'It is being applied.';
    case 'aborting':
      return 'It is being aborted: what can be undone is undone.';
    case 'applied':
      return `${why}Everything is done.`;
    case 'aborted':
      return `${why}What can be undone is undone.`;
    case 'applied elsewhere':
      return 'Someone applies it with oakum apply; the steps are those of the Events on the node.';
    case 'stopped': {
      const stopped = records.findLast(({ kind }) => kind === 'stopped');
      const said =
        stopped?.kind === 'stopped' ? `It stopped: ${stopped.detail}. ` : 'It ended in the middle, with the server. ';
      return `${why}${said}${late === undefined ? 'Resume it, or abort it.' : `It cannot be resumed (${late}): abort it.`}`;
    }
  }
}

function stepView(step: PlanStep, { plan, records, seen, doing }: PlanFacts): WatchPlanStep {
  const { id, kind, sentence, isFinal, node } = step;
  const shown = { id, kind, sentence, calls: callLines(step.call), isFinal };
  const state = stateIn(records, id);
  const last = records.findLast(
    record => 'step' in record && record.step === id && ['step-began', 'step-ended', 'undone'].includes(record.kind),
  );
  const at = last === undefined ? null : Date.parse(last.at) / 1000;
  const detail = last !== undefined && 'detail' in last ? last.detail : '';
  switch (state.kind) {
    case 'ended':
      return { ...shown, state: state.outcome === 'failed' ? 'failed' : 'done', at, detail };
    case 'begun':
      return {
        ...shown,
        state: doing === undefined ? 'unknown' : 'running',
        at,
        detail: doing === undefined ? 'it began, and whether it was done is not known' : progressOf(step, records),
      };
    case 'undone':
      return { ...shown, state: 'undone', at, detail };
    case 'not-begun': {
      const event = seen.findLast(one => one.planId === plan.id && one.kind === kind && one.node === node);
      if (records.length > 0) return { ...shown, state: 'waiting', at: null, detail: '' };
      if (event === undefined)
        return { ...shown, state: isPast(step, plan, seen) ? 'done' : 'waiting', at: null, detail: '' };
      return { ...shown, state: event.state, at: event.at, detail: event.text };
    }
  }
}

/** Only steps that matter have Events: one before another that is done was done, too. */
function isPast({ node, id }: PlanStep, plan: Plan, seen: readonly SeenStep[]): boolean {
  const own = stepsOf(plan).filter(step => node === null || step.node === node);
  const later = own.slice(own.findIndex(step => step.id === id) + 1);
  return seen.some(
    one =>
      one.planId === plan.id &&
      one.state === 'done' &&
      later.some(step => step.kind === one.kind && step.node === one.node),
  );
}

/** `3 of 12 pods are gone`. */
function progressOf({ id, call }: PlanStep, records: readonly PlanRecord[]): string {
  if (call.kind !== 'drain') return '';
  const gone = new Set(
    records.flatMap(one =>
      one.kind === 'pod' && one.step === id && (one.outcome === 'gone' || one.outcome === 'replaced') ? [one.uid] : [],
    ),
  );
  return `${gone.size} of ${call.pods.filter(({ act }) => act === 'evict').length} pods are gone`;
}

/** What `oakum apply` does elsewhere, by the Events that it leaves on the node. */
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

/** The plans that were not made here. */
export function seenPlans(seen: readonly SeenStep[], own: readonly string[]): SeenPlan[] {
  const ids = [...new Set(seen.map(({ planId }) => planId))].filter(id => !own.includes(id));
  return ids.map(id => ({
    id,
    steps: seen.filter(one => one.planId === id).map(({ at, reason, text }) => ({ at, reason, text })),
  }));
}
