/** One plan: who made it, its steps as they happen, whether it helped, and the question whether to do it. */
import { visible } from '../../src/base/visible-text.ts';
import type { WatchPlan, WatchPlanStep } from '../../src/act/watch/watch-plan.ts';
import { Advice } from '../widgets/verdict.tsx';
import { Timestamp } from '../widgets/timestamp.tsx';
import { useState } from 'preact/hooks';
import { api, ApiError } from '../state/api.ts';

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

function Step({ step: { sentence, calls, isFinal, state, at, detail } }: { readonly step: WatchPlanStep }) {
  return (
    <li class={`plan-${state}`} aria-current={state === 'running' ? 'step' : undefined}>
      {visible(sentence)}
      {isFinal && <span class="muted"> (final)</span>}
      {calls.map(call => (
        <code key={call} class="plan-call">
          {visible(call)}
        </code>
      ))}
      {state !== 'waiting' && (
        <span class="plan-step-state">
          {' '}
          <strong>{WORDS[state]}</strong> {at !== null && <Timestamp at={at} />} {visible(detail)}
        </span>
      )}
    </li>
  );
}

/**
 * Asks whether to do it: the name of the node typed in, and a token for actions. The token is sent with this one request
 * and kept nowhere.
 */
interface PlanApprovalProps {
  readonly plan: WatchPlan;
  readonly changed: () => void;
}

function PlanApprovalForm({ plan, changed }: PlanApprovalProps) {
  const [confirm, setConfirm] = useState('');
  const [token, setToken] = useState('');
  const [state, setState] = useState({ busy: false, message: '' });
  const isReady = confirm === plan.node && token !== '' && !state.busy;
  const act = async (how: 'apply' | 'abort'): Promise<void> => {
    setState({ busy: true, message: '' });
    try {
      await api<WatchPlan>(`/plans/${encodeURIComponent(plan.id)}/${how}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ hash: plan.hash, confirm }),
      });
      setConfirm('');
      setToken('');
      setState({ busy: false, message: how === 'apply' ? 'begun' : 'aborting' });
    } catch (error) {
      const { message, hint } = error instanceof ApiError ? error : new ApiError(String(error), 0, '');
      setState({ busy: false, message: `${message} ${hint}` });
    }
    changed();
  };
  return (
    <form
      class="notes-form plan-form"
      aria-label="Approve the plan"
      autocomplete="off"
      onSubmit={event => {
        event.preventDefault();
        if (isReady && plan.canApply) void act('apply');
      }}
    >
      <label>
        Type {/^\d+ nodes$/.test(plan.node) ? 'what it is for' : 'the name of the node'}, {visible(plan.node)}
        <input
          type="text"
          value={confirm}
          autocomplete="off"
          spellcheck={false}
          onInput={event => setConfirm(event.currentTarget.value)}
        />
      </label>
      <label>
        Your token for actions
        <input
          type="password"
          value={token}
          autocomplete="off"
          onInput={event => setToken(event.currentTarget.value.trim())}
        />
      </label>
      <div class="tools">
        {plan.canApply && (
          <button type="submit" disabled={!isReady}>
            {plan.state === 'stopped' ? 'Resume it' : 'Apply it'}
          </button>
        )}
        {plan.canAbort && (
          <button type="button" disabled={!isReady} onClick={() => void act('abort')}>
            Abort it and undo what can be undone
          </button>
        )}
        <span role="status">{visible(state.message)}</span>
      </div>
    </form>
  );
}
