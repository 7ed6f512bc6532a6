/** What a person approves: applies a plan or aborts it, in the background, and keeps who did it. */
import { oneLine } from '../../base/text-layout.ts';
import type { KnownSlope } from '../../judge/cycle/after-restart.ts';
import type { NodePlan, Plan } from '../plan/plan.ts';
import { abortPlan } from '../apply/abort-plan.ts';
import { applyPlan } from '../apply/apply-plan.ts';
import type { ActPorts } from '../apply/act-context.ts';
import { scrapeNode, verifyOne } from '../verify/verify-plan.ts';
import { slopeBefore, watchedSamples } from './verify-in-watch.ts';
import type { SampleStore } from '../../store/ports.ts';
import type { PlanLog } from '../ports.ts';

/** Opened for one plan: its requests carry the plan's id as user agent. */
export interface OpenedActing {
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
}

export interface ActingRun {
  readonly plan: Plan;
  readonly log: PlanLog;
  readonly by: string;
  readonly signal: AbortSignal;
}

/** Undefined if it went well; otherwise the sentence for the page. Failures that the log has are not repeated. */
export async function applyInWatch(run: ActingRun, parts: ActingParts): Promise<string | undefined> {
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

export async function abortInWatch(run: ActingRun, parts: ActingParts): Promise<string | undefined> {
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
