/**
 * The plans of a running watch.
 *
 *     const plans = createWatchPlans(ports, settings);
 *     await plans.make('i-1', { by: 'kim', action: 'restart', drain: false, again: false, force: null });
 *     await plans.apply(id, { by: 'kim', hash, confirm: 'worker-17' });   // only if it was allowed to act
 *
 * Nothing acts by itself: an apply is started by a person, and one that ended with the server is not taken up again
 * until a person says so.
 */
import { oneLine } from '../../base/text-layout.ts';
import type { Plan, NodePlan } from '../plan/plan.ts';
import type { StoredPlan } from '../../store/records.ts';
import { clusterOf, nodeName } from '../../evidence/target.ts';
import type { NewPlan, PlanApproval, PlansView, SeenPlan, WatchPlan } from './watch-plan.ts';
import { checkPlan } from '../plan/read-plan.ts';
import type { WatchClock } from '../../base/clock.ts';
import { standingOf } from '../apply/check-plan.ts';
import { Journal } from '../apply/journal.ts';
import type { WatchService } from '../../watch/watch-service.ts';
import { abortInWatch, type ActingParts, applyInWatch } from './act-on-plan.ts';
import { makeWatchPlan, type MakePorts, type PlanSettings } from './make-watch-plan.ts';
import { clustersOf, type PlanSubject, subjectOf, targetIn, typedName } from './plan-subject.ts';
import { planView } from './plan-view.ts';
import { seenStep, type SeenStep } from './seen-plans.ts';
import { isOfTemplate, restartTemplate } from '../plan/distribution.ts';
import { verifyNode } from '../verify/verify-node.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { NodeVerification } from '../verify/plan-verification.ts';
import { slopeBefore, watchedSamples } from './verify-in-watch.ts';
import type { RecordStore, SampleStore, StoreSession } from '../../store/ports.ts';
import type { PlanLog } from '../ports.ts';
import { planYaml, planStory } from '../plan/plan-text.ts';
import { Failure } from '../../base/errors.ts';

/**
 * Keeps asking whether a plan helped, after it was applied, until it is known.
 *
 * After this time nobody waits for an answer any more.
 */
const MAX_SECONDS = 21 * 86_400;

const OPEN: ReadonlySet<string> = new Set(['too early', 'unread', 'unwell']);

export interface WatchPlansPorts {
  readonly service: Pick<WatchService, 'incident' | 'cohortIncident' | 'fleetRows' | 'profile'>;
  readonly store: RecordStore & SampleStore & Pick<StoreSession, 'commit'>;
  readonly clock: Pick<WatchClock, 'now'>;
  readonly sha256: MakePorts['sha256'];
  /** A sentence if there is no cluster to plan for. */
  readonly cluster: MakePorts['cluster'] | string;
  /** The same for one of several clusters. */
  readonly clusterNamed?: (name: string) => MakePorts['cluster'] | string;
  /** A sentence if nothing may be done: then nothing here can change a cluster. */
  readonly acting: ActingParts['open'] | string;
  /** Something about the plans of an incident changed; with a text, it belongs on its timeline. */
  readonly changed: (incidentId: string, text?: string) => void;
  readonly log: (line: string) => void;
}

export type Refused = { readonly refused: string };

export interface WatchPlans {
  /** Why nothing may be done to the cluster; null if it may. */
  readonly cannotAct: string | null;
  /** Undefined when there is no such incident. */
  view(incidentId: string): Promise<PlansView | undefined>;
  make(incidentId: string, asked: NewPlan): Promise<WatchPlan | Refused | undefined>;
  /** The plan as the file that `oakum apply -f` takes. */
  file(planId: string): Promise<string | undefined>;
  /** Its log, one record per line. */
  log(planId: string): Promise<string | undefined>;
  apply(planId: string, approval: PlanApproval): Promise<WatchPlan | Refused | undefined>;
  abort(planId: string, approval: PlanApproval): Promise<WatchPlan | Refused | undefined>;
  /** What was done about an incident, in Markdown; '' if nothing was. */
  story(incidentId: string): Promise<string>;
  /** Whether plans that were applied helped, as far as it is known now. */
  follow(): Promise<void>;
  /** Interrupts what is under way; it can be resumed. */
  stop(): Promise<void>;
}

interface Running {
  readonly doing: 'applying' | 'aborting';
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

const DAY_SECONDS = 86_400;
const MAX_PLANS_A_DAY = 200;
const SEEN_BEFORE_SECONDS = 3600;
const MAX_SEEN = 100;

export function createWatchPlans(ports: WatchPlansPorts, settings: PlanSettings): WatchPlans {
  const { store, clock, service, sha256 } = ports;
  const running = new Map<string, Running>();
  const refusals = new Map<string, string>();
  /** Plans to whose log something is written beside an apply or an abort: both would take the same number. */
  const noting = new Set<string>();
  let isMaking = false;
  let isFollowing = false;
  const cannotAct = typeof ports.acting === 'string' ? ports.acting : null;

  const readStored = ({ document }: StoredPlan): Plan => checkPlan(document, 'the plan', sha256);
  const find = async (planId: string): Promise<StoredPlan | undefined> =>
    (await store.records({ kind: 'plan', id: planId }))[0];

  async function viewOf(stored: StoredPlan, seen: readonly SeenStep[]): Promise<WatchPlan> {
    const plan = readStored(stored);
    const records = await store.records({ kind: 'plan-log', id: stored.id });
    const doing = running.get(stored.id)?.doing;
    return planView({ stored, plan, records, seen, doing, refused: refusals.get(stored.id), now: clock.now() });
  }

  /** For a cohort, on the nodes that it has plans for. */
  async function seenOn(subject: PlanSubject, own: readonly StoredPlan[]): Promise<SeenStep[]> {
    const { node, members, openedAt, closedAt } = subject;
    const planned = node === null ? own.flatMap(targetsOf) : members.map(({ target }) => target);
    const seen: SeenStep[] = [];
    for (const target of [...new Set(planned)].slice(0, MAX_SEEN)) {
      const from = openedAt - SEEN_BEFORE_SECONDS;
      const events = await store.records({
        kind: 'event',
        target,
        since: from,
        until: (closedAt ?? clock.now()) + DAY_SECONDS,
      });
      seen.push(...events.flatMap(event => seenStep(event, nodeName(target) ?? target) ?? []));
    }
    return seen;
  }

  function planningFor(cluster: string | undefined): MakePorts['cluster'] | string {
    return cluster === undefined ? ports.cluster : (ports.clusterNamed?.(cluster) ?? `${cluster} is not watched here`);
  }

  function cannotPlan(subject: PlanSubject): string | null {
    if (subject.members.length === 0) return 'only nodes that grow can be planned for';
    const clusters = clustersOf(subject);
    const found = (clusters.length === 0 ? [undefined] : clusters).map(planningFor);
    const [first] = found;
    return typeof first === 'string' && found.every(one => typeof one === 'string') ? first : null;
  }

  function targetsOf(stored: StoredPlan): string[] {
    try {
      const { waves, cluster } = readStored(stored);
      return waves.flatMap(({ nodes }) => nodes.map(({ node }) => targetIn(cluster, node)));
    } catch (error) {
      if (error instanceof Failure) return [];
      throw error;
    }
  }

  function start(stored: StoredPlan, plan: Plan, by: string, doing: Running['doing']): void {
    const { acting } = ports;
    if (typeof acting === 'string') throw new Failure('not-permitted', acting);
    const stop = new AbortController();
    const { incidentId } = stored;
    const parts = { open: acting, samples: store, oakumVersion: settings.oakumVersion };
    const log = planLogInStore(store, plan.id, () => ports.changed(incidentId));
    const act = doing === 'applying' ? applyInWatch : abortInWatch;
    refusals.delete(plan.id);
    const ended = act({ plan, log, by, signal: stop.signal }, parts)
      .catch((error: unknown) => {
        ports.log(`${plan.id}: ${oneLine((error as Error).message)}`);
        return oneLine((error as Error).message);
      })
      .then(refused => {
        if (refused !== undefined) refusals.set(plan.id, refused);
        running.delete(plan.id);
        ports.changed(incidentId, refused === undefined ? undefined : `${plan.id}: ${refused}`);
      });
    running.set(plan.id, { doing, stop, ended });
    ports.changed(incidentId, `${plan.id}: ${doing === 'applying' ? 'apply' : 'abort'}, approved by ${by}`);
  }

  function whatIsUnderWay(planId: string): string | undefined {
    const busy = running.keys().next().value;
    if (busy !== undefined) return `${busy} is under way`;
    return noting.has(planId) ? 'its log is being written; try again in a moment' : undefined;
  }

  /** The plan that a person approved, and none other. */
  async function approved(
    planId: string,
    { hash, confirm }: PlanApproval,
  ): Promise<{ readonly stored: StoredPlan; readonly plan: Plan } | Refused | undefined> {
    const stored = await find(planId);
    if (stored === undefined) return undefined;
    if (cannotAct !== null) return { refused: cannotAct };
    let plan: Plan;
    try {
      plan = readStored(stored);
    } catch (error) {
      if (error instanceof Failure) return { refused: error.message };
      throw error;
    }
    if (plan.id !== planId || plan.hash !== hash) return { refused: 'the approval is for another plan than this' };
    const typed = typedName(plan);
    if (confirm !== typed) return { refused: `the name that was typed in is not that of the node, ${typed}` };
    return { stored, plan };
  }

  const plans: WatchPlans = {
    cannotAct,
    async view(incidentId) {
      const subject = await subjectOf(service, incidentId);
      if (subject === undefined) return undefined;
      const own = (await store.records({ kind: 'plan' })).filter(one => one.incidentId === incidentId);
      const seen = await seenOn(subject, own);
      const shown: WatchPlan[] = [];
      for (const one of own) {
        try {
          shown.push(await viewOf(one, seen));
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          ports.log(`${one.id} is left out: ${error.message}`);
        }
      }
      const clusters = clustersOf(subject);
      return {
        schema: 'oakum.plans/v1',
        incidentId,
        node: subject.node,
        ...(clusters.length > 1 ? { clusters } : {}),
        cannotPlan: cannotPlan(subject),
        cannotAct,
        plans: shown,
        elsewhere: seenPlans(
          seen,
          own.map(({ id }) => id),
        ),
      };
    },
    async make(incidentId, asked) {
      const whole = await subjectOf(service, incidentId);
      if (whole === undefined) return undefined;
      const chosen = chosenCluster(whole, asked.cluster);
      if (typeof chosen === 'object') return chosen;
      const cluster = planningFor(chosen);
      if (typeof cluster === 'string') return { refused: cluster };
      const subject = { ...whole, members: whole.members.filter(({ target }) => clusterOf(target) === chosen) };
      if (isMaking) return { refused: 'another plan is being made; try again in a moment' };
      const now = clock.now();
      const recent = (await store.records({ kind: 'plan' })).filter(({ madeAt }) => now - madeAt < DAY_SECONDS);
      if (recent.length >= MAX_PLANS_A_DAY) return { refused: `${recent.length} plans were made within a day` };
      isMaking = true;
      try {
        const plan = await makeWatchPlan(subject, asked, settings, {
          service,
          cluster,
          now: () => clock.now(),
          sha256,
        });
        const stored = { id: plan.id, incidentId, madeBy: asked.by, madeAt: clock.now(), document: plan };
        if (!store.put({ kind: 'plan', record: stored }) || !(await store.commit()).committed)
          return { refused: 'the plan cannot be kept: the store cannot be written' };
        ports.changed(incidentId, `${plan.id} to ${plan.action} made by ${asked.by}`);
        return await viewOf(stored, []);
      } catch (error) {
        if (error instanceof Failure) return { refused: error.message };
        throw error;
      } finally {
        isMaking = false;
      }
    },
    async file(planId) {
      const stored = await find(planId);
      return stored === undefined ? undefined : planYaml(readStored(stored));
    },
    async log(planId) {
      if ((await find(planId)) === undefined) return undefined;
      return (await store.records({ kind: 'plan-log', id: planId }))
        .map(record => `${JSON.stringify(record)}\n`)
        .join('');
    },
    async apply(planId, approval) {
      const found = await approved(planId, approval);
      if (found === undefined || 'refused' in found) return found;
      const { stored, plan } = found;
      const problem = notOfSettings(plan, settings);
      if (problem !== undefined) return { refused: problem };
      const records = await store.records({ kind: 'plan-log', id: planId });
      // From here to `start` nothing waits: of two requests at once, one is refused.
      const busy = whatIsUnderWay(planId);
      if (busy !== undefined) return { refused: busy };
      const standing = standingOf(plan, records, clock.now());
      if (standing.kind === 'refused') return { refused: standing.detail };
      if (standing.kind === 'done') return { refused: 'the plan is applied already' };
      start(stored, plan, approval.by, 'applying');
      return viewOf(stored, []);
    },
    async abort(planId, approval) {
      const found = await approved(planId, approval);
      if (found === undefined || 'refused' in found) return found;
      const { stored, plan } = found;
      const current = running.get(planId);
      if (current?.doing === 'aborting') return { refused: 'it is being aborted already' };
      current?.stop.abort();
      await current?.ended;
      const records = await store.records({ kind: 'plan-log', id: planId });
      const busy = whatIsUnderWay(planId);
      if (busy !== undefined) return { refused: busy };
      const end = records.findLast(({ kind }) => kind === 'apply-ended');
      if (end?.kind === 'apply-ended' && end.outcome === 'aborted') return { refused: 'the plan is aborted already' };
      if (records.length === 0) return { refused: 'nothing was begun, so there is nothing to undo' };
      start(stored, plan, approval.by, 'aborting');
      return viewOf(stored, []);
    },
    async story(incidentId) {
      const own = (await store.records({ kind: 'plan' })).filter(one => one.incidentId === incidentId).reverse();
      let text = '';
      for (const one of own) {
        const records = await store.records({ kind: 'plan-log', id: one.id });
        if (records.length > 0) text += planStory(readStored(one), records);
      }
      return text;
    },
    async follow() {
      if (isFollowing) return;
      isFollowing = true;
      try {
        for (const stored of await store.records({ kind: 'plan' }))
          if (!running.has(stored.id)) await followOne(stored);
      } finally {
        isFollowing = false;
      }
    },
    async stop() {
      const all = [...running.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };

  async function followOne(stored: StoredPlan): Promise<void> {
    const now = clock.now();
    const records = await store.records({ kind: 'plan-log', id: stored.id });
    if (records.length === 0) return;
    const plan = readStored(stored);
    const log = planLogInStore(store, plan.id, () => ports.changed(stored.incidentId));
    const head = { planId: plan.id, planHash: plan.hash, actor: 'oakum watch' };
    const journal = new Journal(log, head, records, () => clock.now());
    for (const nodePlan of openNodes(plan, records, now)) {
      const { node, outcome, sentence } = await verifyWatched(plan, nodePlan, records, store, now);
      const last = records.findLast(record => record.kind === 'verified' && record.node === node);
      // Samples of a moment ago may be missing: only an answer is news.
      if (outcome === 'unread' || (last?.kind === 'verified' && last.outcome === outcome)) continue;
      if (running.has(plan.id)) return;
      noting.add(plan.id);
      await journal.write({ kind: 'verified', node, outcome, detail: sentence }).finally(() => noting.delete(plan.id));
      ports.changed(stored.incidentId, `${plan.id}: ${outcome}: ${sentence}`);
    }
  }

  return plans;
}

/** A plan is for one cluster. Undefined if there are not several. */
function chosenCluster(subject: PlanSubject, asked: string | undefined): string | undefined | Refused {
  const clusters = clustersOf(subject);
  const list = clusters.join(', ');
  if (asked === undefined && clusters.length > 1)
    return { refused: `its nodes are in ${clusters.length} clusters (${list}), and a plan is for one: choose it` };
  if (asked !== undefined && !clusters.includes(asked))
    return { refused: `no node of it grows in the cluster ${asked}${list === '' ? '' : `; there are ${list}`}` };
  return asked ?? clusters[0];
}

function seenPlans(seen: readonly SeenStep[], own: readonly string[]): SeenPlan[] {
  const ids = [...new Set(seen.map(({ planId }) => planId))].filter(id => !own.includes(id));
  return ids.map(id => ({
    id,
    steps: seen.filter(one => one.planId === id).map(({ at, reason, text }) => ({ at, reason, text })),
  }));
}

/**
 * A plan runs only what this server was started to run, whatever the store says.
 *
 * Why the plan does not fit the settings any more; undefined if it does.
 */
function notOfSettings(plan: Plan, { restart }: PlanSettings): string | undefined {
  const changed = 'this server restarts kubelets in another way than the plan says; make a new plan';
  if (plan.via !== null && plan.via !== restart.via) return changed;
  for (const { node, distribution, isControlPlane, steps } of plan.waves.flatMap(wave => wave.nodes)) {
    const template = restart.template ?? restartTemplate(distribution, isControlPlane);
    for (const { call } of steps) {
      const isOther =
        (call.kind === 'command' && (restart.via !== 'command' || !isOfTemplate(call.argv, template, node))) ||
        (call.kind === 'pod' &&
          (restart.via !== 'pod' || call.path !== `/api/v1/namespaces/${restart.namespace}/pods`));
      if (isOther) return changed;
    }
  }
  return undefined;
}

/** The log of a plan in the store of a watch. Each record is on disk before `append` resolves. */
function planLogInStore(
  store: RecordStore & Pick<StoreSession, 'commit'>,
  planId: string,
  onRecord: () => void,
): PlanLog {
  return {
    place: 'the store of oakum watch',
    read: () => store.records({ kind: 'plan-log', id: planId }),
    async append(record) {
      if (!store.put({ kind: 'plan-log', record }))
        throw new Failure('cannot-write', 'the store of oakum watch takes no more');
      const { committed } = await store.commit();
      if (!committed) throw new Failure('cannot-write', 'the store of oakum watch cannot be written');
      onRecord();
    },
  };
}

/** The nodes of a plan about which it is not known yet whether it helped. */
function openNodes(plan: Plan, records: readonly PlanRecord[], now: number): NodePlan[] {
  const end = records.findLast(({ kind }) => kind === 'apply-ended');
  if (plan.action !== 'restart' || end?.kind !== 'apply-ended' || end.outcome !== 'done') return [];
  if (now - Date.parse(end.at) / 1000 > MAX_SECONDS) return [];
  return plan.waves
    .flatMap(({ nodes }) => nodes)
    .filter(({ node }) => {
      const last = records.findLast(record => record.kind === 'verified' && record.node === node);
      return last?.kind !== 'verified' || OPEN.has(last.outcome);
    });
}

/** From the samples that the watch took since. Until there is one, the last is of the old process, and says nothing. */
async function verifyWatched(
  plan: Plan,
  nodePlan: NodePlan,
  records: readonly PlanRecord[],
  store: SampleStore,
  now: number,
): Promise<NodeVerification> {
  const from = Date.parse(plan.createdAt) / 1000 - 600;
  const samples = await watchedSamples(store, plan, nodePlan, from, () => now).read();
  const restart = nodePlan.steps.find(({ kind }) => kind === 'restart');
  const ended = records.findLast(record => record.kind === 'step-ended' && record.step === restart?.id);
  const restartedAt = Date.parse(ended?.at ?? plan.createdAt) / 1000;
  return verifyNode({
    nodePlan,
    nowSeconds: now,
    samples,
    unread: (samples.at(-1)?.at ?? 0) > restartedAt ? undefined : 'the watch has no samples of it since',
    isReady: undefined,
    readyAfterSeconds: undefined,
    warmUpSeconds: undefined,
    before: await slopeBefore(store, plan, nodePlan),
  });
}
