/**
 * Plans over HTTP. Whoever may read may make a plan, which changes nothing. To act, a request needs all of these:
 *
 *     the server was started with --allow-actions      otherwise it has nothing to act with
 *     a token of its own, as a bearer                   no cookie counts, and guesses are slowed down
 *     the hash of the plan that was read                a plan that was changed or replaced is refused
 *     the name of the node, typed in
 */
import type { Context, Hono } from 'hono';
import { encodeText } from '../../base/text.ts';
import type { WatchService } from '../../watch/watch-service.ts';
import { nodeName, clusterName } from '../../evidence/target.ts';
import type { PlansView, WatchPlan, NewPlan, PlanApproval, Refused, WatchPlans } from '../watch/watch-plan.ts';
import type { ActionTokens } from './action-tokens.ts';
import { body, bodyAnswer, attachment, postedText } from '../../watch/server/body.ts';
import { tooManyFailures, LoginThrottle } from '../../watch/server/login.ts';
import { nameFromPath, noParameters, quoted } from '../../watch/server/parameters.ts';
import { Refusal, withinSeconds, type MoreRoutes, type ServerEnv } from '../../watch/server/refusal.ts';
import { PLAN_ACTIONS } from '../plan/plan.ts';

/** The bodies of requests about plans: `{ "by": "kim", "action": "restart" }`, `{ "hash": "sha256:...", "confirm": "worker-17" }`. */
const MAX_NAME = 80;

const MAX_REASON = 500;

/** A cluster and a node. */
const MAX_TYPED = 400;

export interface PlanParts {
  readonly service: Pick<WatchService, 'incident' | 'cohortIncident'>;
  /** Undefined if this watch has no plans at all: a demo, or files. */
  readonly plans?: WatchPlans | undefined;
  /** Undefined without --allow-actions. */
  readonly actionTokens?: ActionTokens | undefined;
}

type PlanContext = Context<ServerEnv>;

const MAX_BYTES = 4096;
/** Making one reads the cluster. */
const MAKE_SECONDS = 120;
const NO_STORE = { 'cache-control': 'no-store' };

/** Requests that act have a gate of their own, stricter than that for reading. */
function isAct(method: string, pathname: string): boolean {
  return method === 'POST' && /^\/api\/v1\/plans\/[^/]+\/(?:apply|abort)$/.test(pathname);
}

export function planRoutes(parts: PlanParts): MoreRoutes {
  const routes = new PlanRoutes(parts);
  return {
    addTo: api => routes.addTo(api),
    guardsItself: isAct,
    story: async incidentId => (await parts.plans?.story(incidentId)) ?? '',
  };
}

class PlanRoutes {
  readonly #parts: PlanParts;
  readonly #throttle = new LoginThrottle();

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  addTo(api: Hono<ServerEnv>): void {
    api.get('/incidents/:id/plans', c => this.#list(c));
    api.post('/incidents/:id/plans', c => this.#make(c));
    api.get('/plans/:id/file', c =>
      this.#download(c, id => this.#plans.file(id), 'yaml', 'application/yaml; charset=utf-8'),
    );
    api.get('/plans/:id/log', c =>
      this.#download(c, id => this.#plans.log(id), 'log.jsonl', 'application/x-ndjson; charset=utf-8'),
    );
    api.post('/plans/:id/apply', c => this.#act(c, 'apply'));
    api.post('/plans/:id/abort', c => this.#act(c, 'abort'));
  }

  get #plans(): WatchPlans {
    const { plans } = this.#parts;
    if (plans !== undefined) return plans;
    throw new Refusal(
      404,
      'This server has no plans.',
      'oakum plan makes one from files or from a running oakum watch.',
    );
  }

  async #list(c: PlanContext): Promise<Response> {
    const id = idIn(c);
    const { plans, service } = this.#parts;
    const view = plans === undefined ? await viewWithout(service, id) : await plans.view(id);
    if (view === undefined) throw noIncident(id);
    return c.json(view, 200, NO_STORE);
  }

  async #make(c: PlanContext): Promise<Response> {
    const id = idIn(c);
    const asked = readNewPlan(await postedText(c, MAX_BYTES));
    const made = await withinSeconds(MAKE_SECONDS, this.#plans.make(id, asked));
    if (made === undefined) throw noIncident(id);
    return c.json(unrefused(made), 201, { ...NO_STORE, location: `/api/v1/incidents/${encodeURIComponent(id)}/plans` });
  }

  async #download(
    c: PlanContext,
    read: (id: string) => Promise<string | undefined>,
    ending: string,
    type: string,
  ): Promise<Response> {
    const id = idIn(c);
    const text = await read(id);
    if (text === undefined) throw noPlan(id);
    return bodyAnswer(body(encodeText(text), type), name => c.req.header(name), {
      'cache-control': 'private, no-cache',
      ...attachment(`${id}.${ending}`),
    });
  }

  async #act(c: PlanContext, how: 'apply' | 'abort'): Promise<Response> {
    const plans = this.#plans;
    const id = idIn(c);
    const by = await this.#personBehind(c, plans);
    const approval = readApproval(await postedText(c, MAX_BYTES), by);
    const answer = await withinSeconds(MAKE_SECONDS, plans[how](id, approval));
    if (answer === undefined) throw noPlan(id);
    return c.json(unrefused(answer), 202, NO_STORE);
  }

  async #personBehind(c: PlanContext, { cannotAct }: WatchPlans): Promise<string> {
    const { actionTokens } = this.#parts;
    if (actionTokens === undefined || cannotAct !== null)
      throw new Refusal(
        403,
        'This server does nothing to the cluster.',
        'Download the plan and run oakum apply -f FILE; or start oakum watch with --allow-actions.',
      );
    const address = c.env?.incoming?.socket.remoteAddress ?? '';
    const given = c.req.header('authorization');
    const person = actionTokens.personOf(given);
    if (person !== undefined) return person;
    const seconds = given === undefined ? 0 : await this.#throttle.refused(address);
    if (seconds > 0) throw tooManyFailures(seconds);
    throw new Refusal(
      401,
      'To act, a token for actions is needed; the token to read is not one.',
      'Send "Authorization: Bearer TOKEN" with a token of --actions-token-file.',
      { 'www-authenticate': 'Bearer realm="oakum actions"' },
    );
  }
}

/** Where there is no cluster: a demo, or files. */
async function viewWithout(service: PlanParts['service'], incidentId: string): Promise<PlansView | undefined> {
  const incident = (await service.incident(incidentId)) ?? (await service.cohortIncident(incidentId));
  if (incident === undefined) return undefined;
  return {
    schema: 'oakum.plans/v1',
    incidentId,
    node: nodeName(incident.target) ?? null,
    cannotPlan: 'This is a recording, and no cluster to plan for. On your own',
    cannotAct: 'This server does nothing to a cluster',
    plans: [],
    elsewhere: [],
  };
}

function unrefused(answer: WatchPlan | Refused): WatchPlan {
  if (!('refused' in answer)) return answer;
  const { refused } = answer;
  throw new Refusal(409, `${refused.charAt(0).toUpperCase()}${refused.slice(1)}${refused.endsWith('.') ? '' : '.'}`);
}

/** The id in the path of a request without parameters. */
function idIn(c: PlanContext): string {
  const url = new URL(c.req.url);
  const id = nameFromPath(url.pathname.split('/')[4] ?? '', 'id');
  noParameters(url);
  return id;
}

function noIncident(id: string): Refusal {
  return new Refusal(404, `There is no incident ${quoted(id)}.`, 'The list of incidents has all that are kept.');
}

function noPlan(id: string): Refusal {
  return new Refusal(404, `There is no plan ${quoted(id)}.`, 'The page of its incident lists the plans.');
}

function readNewPlan(body: string): NewPlan {
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

function readApproval(body: string, by: string): PlanApproval {
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
    // Not JSON: refused below, as any other value that is no object.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(400, 'The body is not a JSON object.', hint);
  const unknown = Object.keys(value).find(key => !known.includes(key));
  if (unknown !== undefined) throw new Refusal(400, `There is no field ${quoted(unknown)} here.`, hint);
  return value as Record<string, unknown>;
}
