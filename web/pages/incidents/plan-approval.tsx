/**
 * Asks whether to do it: the name of the node typed in, and a token for actions. The token is sent with this one request
 * and kept nowhere.
 */
import { useState } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import type { WatchPlan } from '../../../src/act/watch/watch-plan.ts';
import { api, ApiError } from '../../state/api.ts';

interface PlanApprovalProps {
  readonly plan: WatchPlan;
  readonly changed: () => void;
}

export function PlanApprovalForm({ plan, changed }: PlanApprovalProps) {
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
