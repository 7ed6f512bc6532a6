/** One plan: who made it, its steps as they happen, whether it helped, and the question whether to do it. */
import { visible } from '../../../src/base/visible-text.ts';
import type { WatchPlan, WatchPlanStep } from '../../../src/act/watch/watch-plan.ts';
import { Advice } from '../../widgets/advice.tsx';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { PlanApprovalForm } from './plan-approval.tsx';

interface PlanCardProps {
  readonly plan: WatchPlan;
  readonly cannotAct: string | null;
  readonly changed: () => void;
}

export function PlanCard({ plan, cannotAct, changed }: PlanCardProps) {
  const file = `/api/v1/plans/${encodeURIComponent(plan.id)}`;
  const mayAsk = plan.canApply || plan.canAbort;
  return (
    <div class="plan" aria-label={`Plan ${plan.id}`} role="group">
      <div>
        <strong>{plan.state}</strong> <span class="mono">{visible(plan.id)}</span>{' '}
        <span class="muted">
          made by {visible(plan.madeBy)} <Timestamp at={plan.madeAt} />
        </span>
      </div>
      <p>{visible(plan.sentence)}</p>
      {plan.forcedBecause !== null && (
        <p>
          <strong>A gate was overruled</strong> because: {visible(plan.forcedBecause)}
        </p>
      )}
      {plan.expected !== '' && <p class="muted">Expected: {visible(plan.expected)}.</p>}
      {plan.first.length > 0 && <Advice lines={plan.first} />}
      {plan.warnings.length > 0 && (
        <details>
          <summary>{plan.warnings.length === 1 ? 'One warning' : `${plan.warnings.length} warnings`}</summary>
          <Advice lines={plan.warnings} />
        </details>
      )}
      <p role="status">{visible(plan.stateText)}</p>
      {plan.appliedBy !== null && plan.appliedAt !== null && (
        <p class="muted">
          Applied by {visible(plan.appliedBy)} <Timestamp at={plan.appliedAt} />
        </p>
      )}
      <ol class="plan-steps">
        {plan.steps.map(step => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
      {plan.verified !== null && (
        <p>
          <strong>{visible(plan.verified.outcome)}</strong> <Timestamp at={plan.verified.at} />{' '}
          {visible(plan.verified.text)}
        </p>
      )}
      <div class="tools">
        <a class="button" href={`${file}/file`} download={`${plan.id}.yaml`}>
          Plan as a file
        </a>
        {plan.appliedAt !== null && (
          <a class="button" href={`${file}/log`} download={`${plan.id}.log.jsonl`}>
            Log
          </a>
        )}
      </div>
      {mayAsk && cannotAct === null && <PlanApprovalForm plan={plan} changed={changed} />}
      {plan.canApply && cannotAct !== null && (
        <p class="muted">
          {visible(cannotAct)}. Review the file, then <code>{`oakum apply -f ${visible(plan.id)}.yaml`}</code>
        </p>
      )}
    </div>
  );
}

const WORDS: Readonly<Record<WatchPlanStep['state'], string>> = {
  waiting: '',
  running: 'running',
  done: 'done',
  failed: 'failed',
  undone: 'undone',
  unknown: 'not known',
};

function Step({ step: { sentence, isFinal, state, at, detail } }: { readonly step: WatchPlanStep }) {
  return (
    <li class={`plan-${state}`} aria-current={state === 'running' ? 'step' : undefined}>
      {visible(sentence)}
      {isFinal && <span class="muted"> (final)</span>}
      {state !== 'waiting' && (
        <span class="plan-step-state">
          {' '}
          <strong>{WORDS[state]}</strong> {at !== null && <Timestamp at={at} />} {visible(detail)}
        </span>
      )}
    </li>
  );
}
