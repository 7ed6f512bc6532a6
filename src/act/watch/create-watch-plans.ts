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
import type { WatchClock } from '../../base/clock.ts';
import { Failure } from '../../base/errors.ts';
import { withMethods } from '../../base/with-methods.ts';
import { clusterOf, nodeName } from '../../evidence/target.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { RecordStore, SampleStore, StoreSession } from '../../store/ports.ts';
import type { StoredPlan } from '../../store/records.ts';
import type { ReplicaMember, Share } from '../../watch/replicas/ports.ts';
import type { WatchService } from '../../watch/watch-service.ts';
import { standingOf } from '../apply/check-plan.ts';
import { planStory } from '../plan/plan-text.ts';
import type { Plan } from '../plan/plan.ts';
import { checkPlan, fileYaml, planFile } from '../plan/plan-file.ts';
import { chosenCluster, makeWatchPlan, type MakePorts, notOfSettings, type PlanSettings } from './make-watch-plan.ts';
import { type ActingParts, PlanRuns } from './plan-runs.ts';
import { clustersOf, type PlanSubject, subjectOf, targetIn, typedName } from './plan-subject.ts';
import { planView, seenPlans, seenStep, type SeenStep } from './plan-view.ts';
import { followPlan } from './verify-in-watch.ts';
import type { NewPlan, PlanApproval, PlansView, Refused, WatchPlan, WatchPlans } from './watch-plan.ts';

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

const DAY_SECONDS = 86_400;
const MAX_PLANS_A_DAY = 200;
const SEEN_BEFORE_SECONDS = 3600;
const MAX_SEEN = 100;

interface Approved {
  readonly stored: StoredPlan;
  readonly plan: Plan;
}

export function createWatchPlans(ports: WatchPlansPorts, settings: PlanSettings): WatchPlans {
  return new PlansOfWatch(ports, settings);
}

class PlansOfWatch implements WatchPlans {
  readonly cannotAct: string | null;
  readonly #ports: WatchPlansPorts;
  readonly #settings: PlanSettings;
  readonly #runs: PlanRuns;
  #isMaking = false;
  #isFollowing = false;

  constructor(ports: WatchPlansPorts, settings: PlanSettings) {
    this.#ports = ports;
    this.#settings = settings;
    this.#runs = new PlanRuns({ ...ports, oakumVersion: settings.oakumVersion, image: settings.restart.image });
    this.cannotAct = typeof ports.acting === 'string' ? ports.acting : null;
  }

  async view(incidentId: string): Promise<PlansView | undefined> {
    const subject = await subjectOf(this.#ports.service, incidentId);
    if (subject === undefined) return undefined;
    const own = await this.#plansOf(incidentId);
    const seen = await this.#seenOn(subject, own);
    const shown: WatchPlan[] = [];
    for (const one of own) {
      try {
        shown.push(await this.#viewOf(one, seen));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        this.#ports.log(`${one.id} is left out: ${error.message}`);
      }
    }
    const clusters = clustersOf(subject);
    const ownIds = own.map(({ id }) => id);
    return {
      schema: 'oakum.plans/v1',
      incidentId,
      node: subject.node,
      ...(clusters.length > 1 ? { clusters } : {}),
      cannotPlan: this.#cannotPlan(subject),
      cannotAct: this.cannotAct,
      plans: shown,
      elsewhere: seenPlans(seen, ownIds),
    };
  }

  async make(incidentId: string, asked: NewPlan): Promise<WatchPlan | Refused | undefined> {
    const { service, store, clock } = this.#ports;
    const whole = await subjectOf(service, incidentId);
    if (whole === undefined) return undefined;
    const chosen = chosenCluster(whole, asked.cluster);
    if (typeof chosen === 'object') return chosen;
    const cluster = this.#planningFor(chosen);
    if (typeof cluster === 'string') return { refused: cluster };
    const subject = { ...whole, members: whole.members.filter(({ target }) => clusterOf(target) === chosen) };
    if (this.#isMaking) return { refused: 'another plan is being made; try again in a moment' };
    const now = clock.now();
    const recent = (await store.records({ kind: 'plan' })).filter(({ madeAt }) => now - madeAt < DAY_SECONDS);
    if (recent.length >= MAX_PLANS_A_DAY) return { refused: `${recent.length} plans were made within a day` };
    this.#isMaking = true;
    try {
      return await this.#makeAndStore(subject, asked, cluster);
    } catch (error) {
      if (error instanceof Failure) return { refused: error.message };
      throw error;
    } finally {
      this.#isMaking = false;
    }
  }

  async #makeAndStore(
    subject: PlanSubject,
    asked: NewPlan,
    cluster: MakePorts['cluster'],
  ): Promise<WatchPlan | Refused> {
    const { service, store, clock, sha256, changed } = this.#ports;
    const { incidentId } = subject;
    const ports = { service, cluster, now: () => clock.now(), sha256 };
    const plan = await makeWatchPlan(subject, asked, this.#settings, ports);
    const stored = { id: plan.id, incidentId, madeBy: asked.by, madeAt: clock.now(), document: planFile(plan) };
    if (!store.put({ kind: 'plan', record: stored }) || !(await store.commit()).committed)
      return { refused: 'the plan cannot be kept: the store cannot be written' };
    changed(incidentId, `${plan.id} to ${plan.action} made by ${asked.by}`);
    return this.#viewOf(stored, []);
  }

  async file(planId: string): Promise<string | undefined> {
    const stored = await this.#find(planId);
    if (stored === undefined) return undefined;
    this.#read(stored);
    return fileYaml(stored.document);
  }

  async log(planId: string): Promise<string | undefined> {
    if ((await this.#find(planId)) === undefined) return undefined;
    return (await this.#recordsOf(planId)).map(record => `${JSON.stringify(record)}\n`).join('');
  }

  async apply(planId: string, approval: PlanApproval): Promise<WatchPlan | Refused | undefined> {
    const found = await this.#approved(planId, approval, 'apply');
    if (found === undefined || 'refused' in found) return found;
    const { stored, plan } = found;
    const records = await this.#recordsOf(planId);
    // From here to `start` nothing waits: of two requests at once, one is refused.
    const busy = this.#runs.whyBusy(planId);
    if (busy !== undefined) return { refused: busy };
    const standing = standingOf(plan, records, this.#ports.clock.now());
    if (standing.kind === 'refused') return { refused: standing.detail };
    if (standing.kind === 'done') return { refused: 'the plan is applied already' };
    this.#runs.start(stored, plan, approval.by, 'applying');
    return this.#viewOf(stored, []);
  }

  async abort(planId: string, approval: PlanApproval): Promise<WatchPlan | Refused | undefined> {
    const found = await this.#approved(planId, approval, 'abort');
    if (found === undefined || 'refused' in found) return found;
    const { stored, plan } = found;
    if (this.#runs.doing(planId) === 'aborting') return { refused: 'it is being aborted already' };
    await this.#runs.interrupt(planId);
    const records = await this.#recordsOf(planId);
    const busy = this.#runs.whyBusy(planId);
    if (busy !== undefined) return { refused: busy };
    const end = records.findLast(({ kind }) => kind === 'apply-ended');
    if (end?.kind === 'apply-ended' && end.outcome === 'aborted') return { refused: 'the plan is aborted already' };
    if (records.length === 0) return { refused: 'nothing was begun, so there is nothing to undo' };
    this.#runs.start(stored, plan, approval.by, 'aborting');
    return this.#viewOf(stored, []);
  }

  async story(incidentId: string): Promise<string> {
    let text = '';
    for (const one of (await this.#plansOf(incidentId)).reverse()) {
      const records = await this.#recordsOf(one.id);
      if (records.length > 0) text += planStory(this.#read(one), records);
    }
    return text;
  }

  async follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    try {
      for (const stored of await this.#ports.store.records({ kind: 'plan' }))
        if (this.#runs.doing(stored.id) === undefined) await this.#followOne(stored);
    } finally {
      this.#isFollowing = false;
    }
  }

  stop(): Promise<void> {
    return this.#runs.stop();
  }

  async #followOne(stored: StoredPlan): Promise<void> {
    const { store, clock, changed } = this.#ports;
    const { id, incidentId } = stored;
    const records = await this.#recordsOf(id);
    if (records.length === 0) return;
    const plan = this.#read(stored);
    const log = this.#runs.logOf(id, incidentId);
    await followPlan(
      { plan, log, records, now: () => clock.now(), store },
      write => this.#runs.note(id, write),
      text => changed(incidentId, text),
    );
  }

  /** To look at: what it did is told, whatever this server would do now. */
  #read({ document }: StoredPlan): Plan {
    return checkPlan(document, 'the plan', this.#ports.sha256, { to: 'look' });
  }

  /** To do it: derived with this server's own command and settings. Throws a Failure if the store says anything else. */
  #readToAct({ document }: StoredPlan): Plan {
    const { oakumVersion, restart } = this.#settings;
    const reading = { to: 'act', oakumVersion, template: restart.template } as const;
    const plan = checkPlan(document, 'the plan', this.#ports.sha256, reading);
    const problem = notOfSettings(plan, this.#settings);
    if (problem !== undefined) throw new Failure('plan-refused', problem);
    return plan;
  }

  /** The plan as it would be done, or as it is to look at with why it cannot be done. */
  #shown(stored: StoredPlan): { readonly plan: Plan; readonly unsound: string | undefined } {
    try {
      return { plan: this.#readToAct(stored), unsound: undefined };
    } catch (error) {
      if (error instanceof Failure) return { plan: this.#read(stored), unsound: error.message };
      throw error;
    }
  }

  async #find(planId: string): Promise<StoredPlan | undefined> {
    return (await this.#ports.store.records({ kind: 'plan', id: planId }))[0];
  }

  async #plansOf(incidentId: string): Promise<StoredPlan[]> {
    return (await this.#ports.store.records({ kind: 'plan' })).filter(one => one.incidentId === incidentId);
  }

  #recordsOf(planId: string): Promise<readonly PlanRecord[]> {
    return this.#ports.store.records({ kind: 'plan-log', id: planId });
  }

  async #viewOf(stored: StoredPlan, seen: readonly SeenStep[]): Promise<WatchPlan> {
    const { plan, unsound } = this.#shown(stored);
    const { id } = stored;
    const records = await this.#recordsOf(id);
    const [doing, refused] = [this.#runs.doing(id), this.#runs.refusal(id)];
    return planView({ stored, plan, unsound, records, seen, doing, refused, now: this.#ports.clock.now() });
  }

  /** For a cohort, on the nodes that it has plans for. */
  async #seenOn(subject: PlanSubject, own: readonly StoredPlan[]): Promise<SeenStep[]> {
    const { store, clock } = this.#ports;
    const { node, members, openedAt, closedAt } = subject;
    const planned = node === null ? own.flatMap(one => this.#targetsOf(one)) : members.map(({ target }) => target);
    const since = openedAt - SEEN_BEFORE_SECONDS;
    const seen: SeenStep[] = [];
    for (const target of [...new Set(planned)].slice(0, MAX_SEEN)) {
      const until = (closedAt ?? clock.now()) + DAY_SECONDS;
      const events = await store.records({ kind: 'event', target, since, until });
      seen.push(...events.flatMap(event => seenStep(event, nodeName(target) ?? target) ?? []));
    }
    return seen;
  }

  #targetsOf(stored: StoredPlan): string[] {
    try {
      const { waves, cluster } = this.#read(stored);
      return waves.flatMap(({ nodes }) => nodes.map(({ node }) => targetIn(cluster, node)));
    } catch (error) {
      if (error instanceof Failure) return [];
      throw error;
    }
  }

  #planningFor(cluster: string | undefined): MakePorts['cluster'] | string {
    if (cluster === undefined) return this.#ports.cluster;
    return this.#ports.clusterNamed?.(cluster) ?? `${cluster} is not watched here`;
  }

  #cannotPlan(subject: PlanSubject): string | null {
    if (subject.members.length === 0) return 'only nodes that grow can be planned for';
    const clusters = clustersOf(subject);
    const found = (clusters.length === 0 ? [undefined] : clusters).map(name => this.#planningFor(name));
    const [first] = found;
    return typeof first === 'string' && found.every(one => typeof one === 'string') ? first : null;
  }

  /** The plan that a person approved, and none other. */
  async #approved(
    planId: string,
    { hash, confirm }: PlanApproval,
    how: 'apply' | 'abort',
  ): Promise<Approved | Refused | undefined> {
    const stored = await this.#find(planId);
    if (stored === undefined) return undefined;
    if (this.cannotAct !== null) return { refused: this.cannotAct };
    let plan: Plan;
    try {
      // What undoes a plan is derived too, and runs no command.
      plan = how === 'apply' ? this.#readToAct(stored) : this.#shown(stored).plan;
    } catch (error) {
      if (error instanceof Failure) return { refused: error.message };
      throw error;
    }
    if (plan.id !== planId || plan.callsHash !== hash) return { refused: 'the approval is for another plan than this' };
    const typed = typedName(plan);
    if (confirm !== typed) return { refused: `the name that was typed in is not that of the node, ${typed}` };
    return { stored, plan };
  }
}

/** Plans are shown by every replica; they are made, applied and followed by the one that leads. */
export function plansOfLeader(plans: WatchPlans, share: Pick<Share, 'isLeader' | 'leader' | 'members'>): WatchPlans {
  const refusal = (): Refused | undefined => (share.isLeader ? undefined : { refused: whereToGo(share) });
  return withMethods(plans, {
    make: async (incidentId, asked) => refusal() ?? plans.make(incidentId, asked),
    apply: async (planId, approval) => refusal() ?? plans.apply(planId, approval),
    abort: async (planId, approval) => refusal() ?? plans.abort(planId, approval),
    follow: async () => (share.isLeader ? plans.follow() : undefined),
  });
}

function whereToGo({ leader, members }: Pick<Share, 'leader' | 'members'>): string {
  if (leader === null)
    return 'plans are made and applied by the replica that leads; none does now, try again in a minute';
  const address = members.find(({ id }: ReplicaMember) => id === leader.id)?.address ?? null;
  return `plans are made and applied by the replica that leads, ${leader.id}${address === null ? '' : ` at ${address}`}`;
}
