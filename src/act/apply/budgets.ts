/** The budgets of a plan, counted over the whole cluster: other plans and other people restart kubelets too. */
import { formatAge } from '../../base/quantities.ts';
import { formatClock } from './clock-text.ts';
import { type ActContext, type StepEnd, stop, stopFor } from './act-context.ts';
import { nodeFacts } from './node-facts.ts';

const HOUR_SECONDS = 3600;

/** Undefined if one more act on the node is within the budgets; then the node counts as begun until it is restarted. */
export async function overBudget(context: ActContext, node: string): Promise<StepEnd | undefined> {
  const { plan, clock, actions, begun, journal } = context;
  const { maxPerHour, coolDownSeconds } = plan.policy;
  const listed = await actions.nodes();
  if (listed.kind !== 'done') return stopFor(listed, 'the nodes cannot be listed');
  const now = clock.now();
  const facts = listed.value.items.map(nodeFacts);
  const own = facts.find(({ name }) => name === node);
  if (own?.restartedAt !== undefined && own.restartedBy !== plan.id && now - own.restartedAt < coolDownSeconds)
    return stop(
      'cool-down',
      `${node} was restarted by ${own.restartedBy} ${formatAge(now - own.restartedAt)} ago, and ${formatAge(coolDownSeconds)} must pass between two restarts; a leak that returns so soon needs another cure`,
    );
  const recent = facts.flatMap(({ restartedAt }) =>
    restartedAt !== undefined && now - restartedAt < HOUR_SECONDS ? [restartedAt] : [],
  );
  // Nodes that were replaced have nothing left to read it from.
  for (const record of journal.records) {
    if (record.kind !== 'step-ended' || !record.step.endsWith('/delete-node') || record.outcome === 'failed') continue;
    const at = Date.parse(record.at) / 1000;
    if (now - at < HOUR_SECONDS) recent.push(at);
  }
  // Those of the same wave that will be restarted while this node is drained.
  const ahead = [...begun].filter(other => other !== node).length;
  if (recent.length + ahead < maxPerHour) {
    begun.add(node);
    return undefined;
  }
  const freeAt = (recent.sort((a, b) => a - b)[Math.max(0, recent.length + ahead - maxPerHour)] ?? now) + HOUR_SECONDS;
  const soon = ahead === 0 ? '' : ` or are about to be`;
  return stop(
    'per-hour',
    `${recent.length + ahead} kubelets were restarted in the last hour${soon}, the most the plan allows; the same command goes on after ${formatClock(freeAt)}`,
  );
}
