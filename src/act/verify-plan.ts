/** `oakum verify`: scrapes the nodes of a plan, now and for as long as it is asked to, and says what the act did. */
import { type KnownSlope, medianOf } from '../judge/cycle/after-restart.ts';
import { verifyNode } from './verify-node.ts';
import { readSample } from '../evidence/read-sample.ts';
import type { PlanRecord } from '../store/plan-log.ts';
import type { NodeVerification, PlanVerification, VerifySample } from './plan-verification.ts';
import type { NodePlan, Plan } from './plan/plan.ts';
import type { ActPorts } from './apply/act-context.ts';
import { nodeState } from './plan/read-node.ts';
import type { VerifySamples } from './ports.ts';
import { theilSen } from '../judge/growth/theil-sen.ts';
import { factsOf } from '../evidence/resource.ts';

export type VerifyPorts = Pick<ActPorts, 'actions' | 'clock' | 'kubelet' | 'say'> & {
  readonly samples: VerifySamples;
  /** Samples that someone else keeps, of both lives, in order of time; a sentence if there are none. */
  readonly fromPrometheus?: (node: NodePlan) => Promise<readonly VerifySample[] | string>;
};

interface VerifyRequest {
  readonly plan: Plan;
  readonly records: readonly PlanRecord[];
  /** 0: one scrape. */
  readonly forSeconds: number;
  readonly everySeconds: number;
  /** Undefined: those of the plan. */
  readonly warmUpSeconds: number | undefined;
  /** The slope of the life before, where the store of a watch has it. */
  readonly slopeBefore?: (node: NodePlan) => KnownSlope | undefined;
  readonly signal: AbortSignal;
}

/** Metrics that a verification looks at; a kubelet has some thousand series. */
const KEPT =
  /^(?:process_(?:start_time_seconds|cpu_seconds_total|resident_memory_bytes|open_fds)|go_.*|kubelet_(?:running_pods|pleg_.*|runtime_operations_.*)|scrape_.*)$/;
/** What a Prometheus has of the last minutes is as good as a scrape of our own. */
const RECENT_SECONDS = 300;
const METRICS_LIMITS = { deadlineSeconds: 15, maxBytes: 256 * 1024 * 1024 };

/** The sample, or why there is none. */
export async function scrapeNode(ports: VerifyPorts, node: string): Promise<VerifySample | string> {
  const reply = await (await ports.kubelet(node)).get('/metrics', METRICS_LIMITS);
  if (reply.kind !== 'answer') return `its metrics cannot be read: ${reply.message}`;
  if (reply.status !== 200) return `its metrics cannot be read: status ${reply.status}`;
  const read = await readSample(reply.body);
  if (read === undefined) return 'what it answers at /metrics is not metrics';
  const values = Object.fromEntries(Object.entries(read.values).filter(([name]) => KEPT.test(name)));
  const sample = { node, at: ports.clock.now(), values };
  await ports.samples.append(sample);
  return sample;
}

export async function verifyPlan(request: VerifyRequest, ports: VerifyPorts): Promise<PlanVerification> {
  const { plan, forSeconds, everySeconds, signal } = request;
  const { clock } = ports;
  const until = clock.now() + forSeconds;
  const nodePlans = plan.waves.flatMap(({ nodes }) => nodes);
  for (;;) {
    const nodes: NodeVerification[] = [];
    for (const nodePlan of nodePlans) nodes.push(await verifyOne(request, ports, nodePlan));
    const isOpen = nodes.some(({ outcome }) => outcome === 'too early' || outcome === 'unread' || outcome === 'unwell');
    const at = new Date(clock.now() * 1000).toISOString();
    if (!isOpen || signal.aborted || clock.now() + everySeconds > until)
      return { schema: 'oakum.verify/v1', planId: plan.id, at, nodes };
    await clock.sleep(everySeconds, signal);
  }
}

export async function verifyOne(
  { records, warmUpSeconds, slopeBefore }: Omit<VerifyRequest, 'forSeconds' | 'everySeconds' | 'signal'>,
  ports: VerifyPorts,
  nodePlan: NodePlan,
): Promise<NodeVerification> {
  const { node } = nodePlan;
  const scraped = await scrapeNode(ports, node);
  const found = await ports.actions.node(node);
  const own = (await ports.samples.read()).filter(sample => sample.node === node);
  const kept = (await ports.fromPrometheus?.(nodePlan)) ?? [];
  if (typeof kept === 'string') ports.say(kept);
  const samples = typeof kept === 'string' ? own : [...kept, ...own].sort((a, b) => a.at - b.at);
  const isRecent = ports.clock.now() - (samples.at(-1)?.at ?? -Infinity) < RECENT_SECONDS;
  return verifyNode({
    nodePlan,
    nowSeconds: ports.clock.now(),
    samples,
    unread: typeof scraped === 'string' && !(isRecent && kept.length > 0) ? scraped : undefined,
    isReady: found.kind === 'done' ? nodeState(found.value).isReady : undefined,
    readyAfterSeconds: readyAfter(records, nodePlan),
    warmUpSeconds,
    before: slopeBefore?.(nodePlan) ?? (typeof kept === 'string' ? undefined : slopeBeforeRestart(kept, nodePlan)),
  });
}

/** By the log: how long the step took that waited for it, without the time for which it had to stay so. */
function readyAfter(records: readonly PlanRecord[], { steps }: NodePlan): number | undefined {
  const step = steps.find(({ kind }) => kind === 'wait-ready');
  const record = records.findLast(one => one.kind === 'step-ended' && one.step === step?.id);
  if (step?.call.kind !== 'wait-ready' || record?.kind !== 'step-ended' || record.outcome !== 'done') return undefined;
  return Math.max(0, record.tookSeconds - step.call.stableSeconds);
}

/** How fast a node grew before it was restarted, from samples of that life. */

/** A process that has just started grows for other reasons. */
const WARM_UP_SECONDS = 3600;
const MIN_SAMPLES = 12;
/** Theil-Sen compares all pairs. */
const MAX_SAMPLES = 600;
const START_SLACK_SECONDS = 2;

/** Undefined if too little is known. A life that was short is taken whole. */
export function slopeBeforeRestart(
  samples: readonly VerifySample[],
  { verification }: NodePlan,
): KnownSlope | undefined {
  const { resource, processStartSeconds, at } = verification.before;
  if (resource === null || processStartSeconds === null) return undefined;
  const until = Date.parse(at) / 1000;
  const life = samples.filter(
    one =>
      one.at <= until &&
      Math.abs((one.values['process_start_time_seconds'] ?? 0) - processStartSeconds) <= START_SLACK_SECONDS,
  );
  const { metrics } = factsOf(resource);
  const metric = metrics.find(name => life.some(({ values }) => values[name] !== undefined));
  if (metric === undefined) return undefined;
  const all = life.filter(({ values }) => values[metric] !== undefined);
  const warm = all.filter(one => one.at >= processStartSeconds + WARM_UP_SECONDS);
  const rows = thinned(warm.length >= MIN_SAMPLES ? warm : all);
  if (rows.length < MIN_SAMPLES) return undefined;
  const fitted = theilSen(
    rows.map(one => one.at / 3600),
    rows.map(({ values }) => values[metric] ?? 0),
  );
  if (fitted === undefined) return undefined;
  const pods = medianOf(rows.flatMap(({ values }) => values['kubelet_running_pods'] ?? []));
  return { perHour: fitted.slope, interval: [fitted.low, fitted.high], pods };
}

function thinned(rows: readonly VerifySample[]): readonly VerifySample[] {
  const every = Math.ceil(rows.length / MAX_SAMPLES);
  return every <= 1 ? rows : rows.filter((_, i) => i % every === 0);
}
