/**
 * Derives the OOM cycle of a target from everything that was observed.
 *
 *     cycleOf('worker-17', observations).sentence
 *
 * A pure function of the set of observations: a server can keep them and call it again after each.
 */
import {
  type CycleObservation,
  type CycleStage,
  type OomCycle,
  type Death,
  type CycleReport,
  processNames,
} from '../../evidence/cycle/cycle.ts';
import { historyOf, type History } from './history.ts';
import { reasonsOf, sentenceOf } from './sentence.ts';
import { deathsOf, stageOf } from './stage.ts';
import { timelineOf } from './timeline.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { assignEvidence, type ClockOptions } from '../../evidence/cycle/assign-evidence.ts';
import { readEvidence } from '../../evidence/cycle/read-evidence.ts';

const NODE_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

export interface CycleOptions {
  /** The process, as the kernel and systemd name it; the kubelet by default. */
  readonly process?: string;
}

export function cycleOf(
  target: string,
  observations: Iterable<CycleObservation>,
  options: CycleOptions = {},
): OomCycle {
  const history = historyOf(target, observations, options.process);
  const stage = stageOf(history);
  const { events, omitted } = timelineOf(history);
  const left = omitted === 0 ? [] : [`${omitted} earlier events are not in the timeline`];
  return {
    target,
    stage,
    sentence: sentenceOf(stage, history),
    timeline: events,
    deaths: deathsOf(history),
    rivals: history.restarters,
    reasons: [...reasonsOf(history), ...left],
    advice: adviceOf(stage, history),
  };
}

const WORST_FIRST: readonly CycleStage[] = ['re-oom', 'killed', 'storm', 'pre-oom', 'recovered', 'healthy', 'unknown'];

/** Worst first, then by name. */
export function compareCycles(a: OomCycle, b: OomCycle): number {
  const rank = ({ stage }: OomCycle): number => WORST_FIRST.indexOf(stage);
  return rank(a) - rank(b) || (a.target < b.target ? -1 : 1);
}

/** What a person should do in each stage. */
function adviceOf(stage: CycleStage, history: History): string[] {
  const { names, restarters, target } = history;
  const death = deathsOf(history).at(-1);
  const advice: string[] = [];
  const node = NODE_NAME.test(target) ? target : 'NODE';
  const capture =
    names.name === 'kubelet'
      ? `kubectl get --raw /api/v1/nodes/${node}/proxy/debug/pprof/heap > heap.pb.gz, the same for goroutine`
      : 'heap and goroutine profiles';
  if (stage === 'pre-oom' || stage === 're-oom')
    advice.push(`Take the evidence before the next kill: ${capture}; then oakum analyze heap.pb.gz`);
  if (stage === 'storm') advice.push('Let it come to rest: another restart begins the storm anew');
  if (stage === 're-oom') advice.push('Cordon the node, so that no more pods make each round shorter');
  if (death !== undefined && (stage === 'killed' || stage === 're-oom' || stage === 'recovered'))
    advice.push(...afterDeath(history, death));
  if (restarters.length > 0 && stage !== 'healthy')
    advice.push(
      `Pause the repairs of ${restarters.map(({ name }) => name).join(' and ')} before you restart or profile: one would cut both short`,
    );
  return advice;
}

function afterDeath({ names }: History, { cause, kill }: Death): string[] {
  if (cause === 'oom' && kill?.scope === 'memcg')
    return [
      `A higher limit of ${kill.limitCgroup || 'its cgroup'} buys time only; find out what grows: oakum analyze over heap profiles of two times`,
    ];
  if (cause === 'oom' && kill?.scope === 'global')
    return [
      `The whole node was short: look at what the pods use as well; the kubelet is spared (oom_score_adj -999) until nothing else is left`,
    ];
  if (cause === 'go-threads')
    return [
      'Every blocked system call holds a thread: look at goroutines in syscall, in oakum analyze of a goroutine dump',
    ];
  if (cause === 'oom' || cause === 'go-out-of-memory')
    return ['Keep the kernel log of that minute: it tells whose limit it was'];
  if (cause === 'unknown')
    return [
      `Why it died is in the logs: journalctl -u ${names.name} -o short-iso and journalctl -k, given to oakum cycle as well`,
    ];
  return [];
}

export interface CycleReportOptions extends ClockOptions {
  /** The process, if it is not the kubelet. */
  readonly process?: string;
}

/** `oakum cycle`: from a pile of evidence to the OOM cycle of each target in it. */
export async function cycleReport(items: AsyncIterable<PileItem>, options: CycleReportOptions): Promise<CycleReport> {
  const { process } = options;
  const read = await readEvidence(items, processNames(process));
  const { targets, notes } = assignEvidence(read, options);
  const cycles = targets.map(({ name, isNode, observations }) => {
    // A process that is not a kubelet is named after its files or its job.
    const own = process ?? (isNode ? undefined : name.split('/', 1)[0]);
    return cycleOf(name, observations, own === undefined ? {} : { process: own });
  });
  return {
    schema: 'oakum.cycle/v1',
    cycles: cycles.sort(compareCycles),
    notes,
    inputs: { used: read.usedCount, unused: read.unusedCount, unread: read.unread },
  };
}
