/** What can be done about the nodes of an incident, what is being done, and by whom. Nothing happens without a person. */
import { visible } from '../../src/base/visible-text.ts';
import type { PlansView, SeenPlan } from '../../src/act/watch/watch-plan.ts';
import { useApi } from '../state/use-api.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import { PlanCard } from './plan-card.tsx';
import { PlanForm } from './plan-form.tsx';

interface IncidentPlanProps {
  readonly incidentId: string;
  /** What `oakum plan` would be told: `node/worker-17`, or `--all-leaking` for a cohort. */
  readonly target: string;
  readonly isCohort?: boolean;
  readonly isOpen: boolean;
}

export function IncidentPlan({ incidentId, target, isCohort = false, isOpen }: IncidentPlanProps) {
  const path = `/incidents/${encodeURIComponent(incidentId)}/plans`;
  const found = useApi<PlansView>(
    `plans of ${incidentId}`,
    () => path,
    event => event.kind === 'incident' && event.id === incidentId,
  );
  const { data: view } = found;
  if (view === undefined || (view.node === null && !isCohort)) return null;
  const [newest, ...older] = view.plans;
  const isUnderWay = newest?.state === 'applying' || newest?.state === 'aborting';
  return (
    <section aria-labelledby="plan-title">
      <h2 id="plan-title">Plan</h2>
      {newest !== undefined && <PlanCard plan={newest} cannotAct={view.cannotAct} changed={found.refresh} />}
      {view.elsewhere.map(plan => (
        <SeenSteps key={plan.id} plan={plan} />
      ))}
      {view.cannotPlan !== null ? (
        <p class="muted">
          {visible(view.cannotPlan)}: <code>{`oakum plan restart ${visible(target)} --from ${location.origin}`}</code>
        </p>
      ) : (
        isOpen &&
        !isUnderWay && (
          <PlanForm
            path={path}
            isCohort={isCohort}
            isFirst={newest === undefined}
            clusters={view.clusters ?? []}
            changed={found.refresh}
          />
        )
      )}
      {older.length > 0 && (
        <details>
          <summary>{older.length === 1 ? 'One earlier plan' : `${older.length} earlier plans`}</summary>
          {older.map(plan => (
            <PlanCard key={plan.id} plan={plan} cannotAct={view.cannotAct} changed={found.refresh} />
          ))}
        </details>
      )}
    </section>
  );
}

/** For a plan that was made elsewhere. */
function SeenSteps({ plan: { id, steps } }: { readonly plan: SeenPlan }) {
  return (
    <div class="plan">
      <div>
        <span class="mono">{visible(id)}</span> <span class="muted">applied elsewhere, by the node's Events</span>
      </div>
      <ol class="plan-steps">
        {steps.map(({ at, reason, text }, i) => (
          <li key={i} class={reason.endsWith('Failed') ? 'plan-failed' : 'plan-done'}>
            <Timestamp at={at} /> <strong>{visible(reason)}</strong> {visible(text)}
          </li>
        ))}
      </ol>
    </div>
  );
}
