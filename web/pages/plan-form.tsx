/** Asks for a plan. Making one changes nothing. */
import { useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { NewPlan, WatchPlan } from '../../src/act/watch/watch-plan.ts';
import { api, ApiError } from '../state/api.ts';

const NAME_KEY = 'oakum.name';

const CHOICES = [
  ['restart', 'restart its kubelet', 'restart the kubelets that grow, node by node'],
  ['restart after drain', 'drain it, then restart its kubelet', 'drain each node that grows, then restart its kubelet'],
  ['cordon', 'cordon it', 'cordon the nodes that grow'],
  ['drain', 'drain it', 'drain the nodes that grow'],
  ['replace', 'replace it', 'replace the nodes that grow'],
] as const;

type Choice = (typeof CHOICES)[number][0];

interface PlanFormProps {
  readonly path: string;
  readonly isCohort: boolean;
  readonly isFirst: boolean;
  /** To choose one from; empty if there is nothing to choose. */
  readonly clusters: readonly string[];
  readonly changed: () => void;
}

export function PlanForm({ path, isCohort, isFirst, clusters, changed }: PlanFormProps) {
  const [choice, setChoice] = useState<Choice>('restart');
  const [cluster, setCluster] = useState(clusters[0]);
  const [by, setBy] = useState(() => localStorage.getItem(NAME_KEY) ?? '');
  const [again, setAgain] = useState(false);
  const [force, setForce] = useState('');
  const [state, setState] = useState({ busy: false, message: '' });
  const make = async (): Promise<void> => {
    setState({ busy: true, message: 'reading the cluster …' });
    const drain = choice === 'restart after drain';
    const asked: NewPlan = {
      by,
      action: choice === 'restart after drain' ? 'restart' : choice,
      drain,
      again,
      force: force.trim() === '' ? null : force,
      ...(clusters.length === 0 ? {} : { cluster }),
    };
    try {
      await api<WatchPlan>(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(asked),
      });
      localStorage.setItem(NAME_KEY, by);
      setState({ busy: false, message: 'plan made; nothing has been done' });
      changed();
    } catch (error) {
      const { message, hint } = error instanceof ApiError ? error : new ApiError(String(error), 0, '');
      setState({ busy: false, message: `${message} ${hint}` });
    }
  };
  return (
    <form
      class="notes-form plan-form"
      aria-label="Make a plan"
      onSubmit={event => {
        event.preventDefault();
        void make();
      }}
    >
      <label>
        To{' '}
        <select value={choice} onChange={event => setChoice(event.currentTarget.value as Choice)}>
          {CHOICES.map(([value, one, many]) => (
            <option key={value} value={value}>
              {isCohort ? many : one}
            </option>
          ))}
        </select>
      </label>
      {clusters.length > 0 && (
        <label>
          In{' '}
          <select value={cluster} onChange={event => setCluster(event.currentTarget.value)}>
            {clusters.map(name => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Planned by{' '}
        <input type="text" value={by} maxLength={80} required onInput={event => setBy(event.currentTarget.value)} />
      </label>
      <Overrule force={force} setForce={setForce} again={again} setAgain={setAgain} />
      <div class="tools">
        <button type="submit" disabled={state.busy || by.trim() === ''}>
          {isFirst ? 'Make a plan' : 'Make a new plan'}
        </button>
        <span role="status">{visible(state.message)}</span>
      </div>
    </form>
  );
}

interface OverruleProps {
  readonly force: string;
  readonly setForce: (reason: string) => void;
  readonly again: boolean;
  readonly setAgain: (again: boolean) => void;
}

function Overrule({ force, setForce, again, setAgain }: OverruleProps) {
  return (
    <details>
      <summary>Overrule a gate</summary>
      <label>
        Although it is not proved, or no evidence is saved, because{' '}
        <input type="text" value={force} maxLength={500} onInput={event => setForce(event.currentTarget.value)} />
      </label>
      <label class="plan-check">
        <input type="checkbox" checked={again} onChange={event => setAgain(event.currentTarget.checked)} /> once more,
        although the leak came back after the last restart
      </label>
    </details>
  );
}
