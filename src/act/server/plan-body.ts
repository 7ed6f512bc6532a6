/** The bodies of requests about plans: `{ "by": "kim", "action": "restart" }`, `{ "hash": "sha256:...", "confirm": "worker-17" }`. */
import { PLAN_ACTIONS } from '../plan/plan.ts';
import { clusterName } from '../../evidence/target.ts';
import type { NewPlan, PlanApproval } from '../watch/watch-plan.ts';
import { quoted } from '../../watch/server/parameters.ts';
import { Refusal } from '../../watch/server/refusal.ts';

const MAX_NAME = 80;
const MAX_REASON = 500;
/** A cluster and a node. */
const MAX_TYPED = 400;

export function readNewPlan(body: string): NewPlan {
  const hint = `Send {"by": "NAME", "action": "${PLAN_ACTIONS.join('|')}", "drain": false, "again": false, "force": null}; for a cohort in several clusters, also "cluster".`;
  const fields = readFields(body, ['by', 'action', 'drain', 'again', 'force', 'cluster'], hint);
  const { by, action: wanted = 'restart', drain = false, again = false, force = null, cluster } = fields;
  if (typeof by !== 'string' || by.trim() === '' || by.length > MAX_NAME || /\p{Cc}/u.test(by))
    throw new Refusal(400, `A plan needs the name of who makes it, up to ${MAX_NAME} characters.`, hint);
  const action = PLAN_ACTIONS.find(one => one === wanted);
  if (action === undefined) throw new Refusal(400, `A plan is to ${PLAN_ACTIONS.join(', ')}.`, hint);
  if (typeof drain !== 'boolean' || typeof again !== 'boolean')
    throw new Refusal(400, '`drain` and `again` are true or false.', hint);
  if (drain && action !== 'restart') throw new Refusal(400, '`drain` is for a restart.', hint);
  if (force !== null && (typeof force !== 'string' || force.trim() === '' || force.length > MAX_REASON))
    throw new Refusal(400, `\`force\` is null, or a reason of up to ${MAX_REASON} characters.`, hint);
  if (cluster !== undefined && (typeof cluster !== 'string' || clusterName(cluster) !== cluster || cluster === ''))
    throw new Refusal(400, '`cluster` is the name of a cluster.', hint);
  const plan = { by: by.trim(), action, drain, again, force: force === null ? null : force.trim() };
  return cluster === undefined ? plan : { ...plan, cluster };
}

export function readApproval(body: string, by: string): PlanApproval {
  const hint = 'Send {"hash": "sha256:... of the plan", "confirm": "the name of the node"}.';
  const { hash, confirm } = readFields(body, ['hash', 'confirm'], hint);
  if (typeof hash !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(hash))
    throw new Refusal(400, 'An approval needs the hash of the plan.', hint);
  if (typeof confirm !== 'string' || confirm === '' || confirm.length > MAX_TYPED)
    throw new Refusal(400, 'An approval needs the name of the node, typed in.', hint);
  return { by, hash, confirm };
}

function readFields(body: string, known: readonly string[], hint: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // Said below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(400, 'The body is not a JSON object.', hint);
  const unknown = Object.keys(value).find(key => !known.includes(key));
  if (unknown !== undefined) throw new Refusal(400, `There is no field ${quoted(unknown)} here.`, hint);
  return value as Record<string, unknown>;
}
