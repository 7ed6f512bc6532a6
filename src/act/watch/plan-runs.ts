/**
 * What this server does with plans: it applies or aborts one at a time, in the background, after a person approved it.
 *
 *     start(...)  ->  doing(id) is 'applying' or 'aborting'  ->  doing(id) is undefined, refusal(id) says why it failed
 */
import { oneLine } from '../../base/text-layout.ts';
import type { KnownSlope } from '../../judge/cycle/after-restart.ts';
import type { NodePlan, Plan } from '../plan/plan.ts';
import { abortPlan, applyPlan } from '../apply/apply-plan.ts';
import type { ActPorts } from '../apply/act-context.ts';
import { scrapeNode, verifyOne } from '../verify-plan.ts';
import { slopeBefore, watchedSamples } from './verify-in-watch.ts';
import type { SampleStore, RecordStore, StoreSession } from '../../store/ports.ts';
import type { PlanLog } from '../ports.ts';

import type { StoredPlan } from '../../store/records.ts';
import { Failure } from '../../base/errors.ts';

interface RunPorts {
  readonly store: RecordStore & SampleStore & Pick<StoreSession, 'commit'>;
  /** A sentence if nothing may be done: then nothing here can change a cluster. */
  readonly acting: ActingParts['open'] | string;
  readonly oakumVersion: string;
  /** Of --restart-image; null without. */
  readonly image: string | null;
  readonly changed: (incidentId: string, text?: string) => void;
  readonly log: (line: string) => void;
}

interface Run {
  readonly doing: 'applying' | 'aborting';
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class PlanRuns {
  readonly #ports: RunPorts;
  readonly #runs = new Map<string, Run>();
  /** By plan: why the last request to apply or abort it came to nothing. */
  readonly #refusals = new Map<string, string>();
  /** Plans whose log gets a record beside an apply or an abort: both would take the same number. */
  readonly #noted = new Set<string>();

  constructor(ports: RunPorts) {
    this.#ports = ports;
  }

  doing(planId: string): Run['doing'] | undefined {
    return this.#runs.get(planId)?.doing;
  }

  refusal(planId: string): string | undefined {
    return this.#refusals.get(planId);
  }

  /** Why a plan cannot be applied or aborted at this moment; undefined if it can. */
  whyBusy(planId: string): string | undefined {
    const busy = this.#runs.keys().next().value;
    if (busy !== undefined) return `${busy} is under way`;
    return this.#noted.has(planId) ? 'its log is being written; try again in a moment' : undefined;
  }

  start({ id, incidentId }: StoredPlan, plan: Plan, by: string, doing: Run['doing']): void {
    const { acting, store, oakumVersion, image, changed, log: say } = this.#ports;
    if (typeof acting === 'string') throw new Failure('not-permitted', acting);
    const stop = new AbortController();
    const act = doing === 'applying' ? applyInWatch : abortInWatch;
    this.#refusals.delete(id);
    const run = { plan, log: this.logOf(id, incidentId), by, signal: stop.signal };
    const ended = act(run, { open: acting, samples: store, oakumVersion, image })
      .catch((error: unknown) => {
        say(`${id}: ${oneLine((error as Error).message)}`);
        return oneLine((error as Error).message);
      })
      .then(refused => {
        if (refused !== undefined) this.#refusals.set(id, refused);
        this.#runs.delete(id);
        changed(incidentId, refused === undefined ? undefined : `${id}: ${refused}`);
      });
    this.#runs.set(id, { doing, stop, ended });
    changed(incidentId, `${id}: ${doing === 'applying' ? 'apply' : 'abort'}, approved by ${by}`);
  }

  /** Stops what is done with a plan; it can be resumed. */
  async interrupt(planId: string): Promise<void> {
    const run = this.#runs.get(planId);
    run?.stop.abort();
    await run?.ended;
  }

  /** Writes into the log of a plan; returns false, without writing, if the plan is being applied or aborted. */
  async note(planId: string, write: () => Promise<void>): Promise<boolean> {
    if (this.#runs.has(planId)) return false;
    this.#noted.add(planId);
    await write().finally(() => this.#noted.delete(planId));
    return true;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map(id => this.interrupt(id)));
  }

  /** The log of a plan in the store of the watch. Each record is on disk before `append` resolves. */
  logOf(planId: string, incidentId: string): PlanLog {
    const { store, changed } = this.#ports;
    return {
      place: 'the store of oakum watch',
      read: () => store.records({ kind: 'plan-log', id: planId }),
      async append(record) {
        if (!store.put({ kind: 'plan-log', record }))
          throw new Failure('cannot-write', 'the store of oakum watch takes no more');
        const { committed } = await store.commit();
        if (!committed) throw new Failure('cannot-write', 'the store of oakum watch cannot be written');
        changed(incidentId);
      },
    };
  }
}

/** Opened for one plan: its requests carry the plan's id as user agent. */
interface OpenedActing {
  readonly ports: ActPorts;
  /** As the API server knows this program. */
  readonly actor: string;
  readonly holder: string;
  readonly hasEnded: (holder: string) => boolean;
}

export interface ActingParts {
  readonly open: (plan: Plan) => Promise<OpenedActing>;
  readonly samples: SampleStore;
  readonly oakumVersion: string;
  readonly image: string | null;
}

interface ActingRun {
  readonly plan: Plan;
  readonly log: PlanLog;
  readonly by: string;
  readonly signal: AbortSignal;
}

/** Undefined if it went well; otherwise the sentence for the page. Failures that the log has are not repeated. */
async function applyInWatch(run: ActingRun, parts: ActingParts): Promise<string | undefined> {
  const { plan, log, by, signal } = run;
  const { ports, actor, holder, hasEnded } = await parts.open(plan);
  const from = Date.parse(plan.createdAt) / 1000 - 600;
  const before = new Map<string, KnownSlope>();
  const nodes = plan.waves.flatMap(wave => wave.nodes);
  const samples = new Map(
    nodes.map(one => [one.node, watchedSamples(parts.samples, plan, one, from, () => ports.clock.now())]),
  );
  const portsOf = ({ node }: NodePlan) => {
    const kept = samples.get(node);
    return kept === undefined ? undefined : { ...ports, samples: kept };
  };
  for (const nodePlan of nodes) {
    const slope = await slopeBefore(parts.samples, plan, nodePlan);
    if (slope !== undefined) before.set(nodePlan.node, slope);
  }
  const result = await applyPlan(
    {
      plan,
      log,
      actor: actorOf(by, actor),
      holder,
      hasEnded,
      signal,
      oakumVersion: parts.oakumVersion,
      image: parts.image,
      verify: (nodePlan, records) => {
        const verifyPorts = portsOf(nodePlan);
        if (verifyPorts === undefined) throw new Error(`no samples of ${nodePlan.node}`);
        const request = {
          plan,
          records,
          warmUpSeconds: undefined,
          slopeBefore: (one: NodePlan) => before.get(one.node),
        };
        return verifyOne(request, verifyPorts, nodePlan);
      },
      observe: async nodePlan => {
        const verifyPorts = portsOf(nodePlan);
        if (verifyPorts !== undefined) await scrapeNode(verifyPorts, nodePlan.node);
      },
    },
    ports,
  );
  if (result.kind !== 'refused') return undefined;
  return oneLine(result.detail).replace(/^you may not/, 'the account of this server may not');
}

async function abortInWatch(run: ActingRun, parts: ActingParts): Promise<string | undefined> {
  const { plan, log, by, signal } = run;
  const { ports, actor, holder, hasEnded } = await parts.open(plan);
  const result = await abortPlan({ plan, log, actor: actorOf(by, actor), holder, hasEnded, signal }, ports);
  if (result.kind === 'refused') return oneLine(result.detail);
  if (result.kind === 'nothing-begun') return 'nothing was begun, so there is nothing to undo';
  const failed = result.undone.find(({ outcome }) => outcome === 'failed');
  return failed === undefined ? undefined : `${failed.step} was not undone: ${oneLine(failed.detail)}`;
}

function actorOf(by: string, actor: string): string {
  return `${by}, through oakum watch as ${actor}`;
}
