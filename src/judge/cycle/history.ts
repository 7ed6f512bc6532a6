/** The past of one target, before it is put into words. */
import {
  type CycleObservation,
  type DeathCause,
  type Restarter,
  type ProcessNames,
  processNames,
} from '../../evidence/cycle/cycle.ts';
import { deathSightings, joinSightings, startSightings } from './life-events.ts';
import { findKills, type SeenKill } from './kills.ts';
import { findLives, type Life } from './lives.ts';
import { limitSign, nodeSigns, type Sign } from './pressure.ts';
import { bootRecord } from './reboots.ts';
import { intervalsOf, type Sample, samplesOf } from './samples.ts';
import { sortedTimes } from './sorted-times.ts';
import { calmOf, findStorm, type Storm } from './storm.ts';
import { timeText } from '../../base/say.ts';
import { observed, type Observed } from './phrases.ts';

/** Other programs that restart the process. Anyone who acts at the same time must know about them. */
const CHECKER = "node-problem-detector's health-checker";

const COUNTER = 'node-problem-detector';

/** A life, and what was observed in it. */
export interface Phase {
  readonly life: Life;
  /** After a restart. */
  readonly storm: Storm | undefined;
  /** How near it came to a limit. */
  readonly sign: Sign | undefined;
  /** Whether there are enough scrapes to detect a storm. */
  readonly isMeasured: boolean;
}

export interface History {
  readonly target: string;
  readonly names: ProcessNames;
  readonly seen: Observed;
  readonly samples: readonly Sample[];
  readonly phases: readonly Phase[];
  readonly kills: readonly SeenKill[];
  readonly reemitted: readonly SeenKill[];
  /** The node's memory condition at the end. */
  readonly signs: readonly Sign[];
  readonly restarters: readonly Restarter[];
}

/** The latest starts and deaths: for a process that restarts every ten seconds for a day, the last ones are enough. */
const MAX_LIFE_EVENTS = 4000;

export function historyOf(target: string, observations: Iterable<CycleObservation>, process?: string): History {
  const names = processNames(process);
  const seen = observed(observations);
  const samples = samplesOf(seen.metrics);
  const starts = startSightings(seen, names);
  const startSeconds = sortedTimes(starts);
  const boots = bootRecord(seen, samples);
  const rebootSeconds = [...boots.reported, ...boots.began].sort((a, b) => a - b);
  const { kills, reemitted } = findKills(seen.logs, seen.kubeEvents, startSeconds, rebootSeconds);
  const lifeEvents = joinSightings([...starts, ...deathSightings(seen, kills, names)]).slice(-MAX_LIFE_EVENTS);
  const untimed = kills.filter(({ kill, atSeconds }) => atSeconds === undefined && names.isProcess(kill.process));
  const lives = findLives(lifeEvents, samples, seen, boots, untimed, names);
  return {
    target,
    names,
    seen,
    samples,
    phases: phasesOf(lives),
    kills,
    reemitted,
    signs: nodeSigns(seen, kills, samples, names),
    restarters: findRestarters(seen, names),
  };
}

function phasesOf(lives: readonly Life[]): Phase[] {
  let calm = calmOf([], undefined);
  let killedAt: number | undefined;
  return lives.map(life => {
    const { startSeconds, processStartSeconds, death } = life;
    const intervals = intervalsOf(life.samples, processStartSeconds);
    const own = calmOf(intervals, startSeconds);
    // The previous life shows what is normal; without one, the end of this life does.
    const level = calm.apiPerSecond === undefined ? own : calm;
    const storm = life.isRestart && startSeconds !== undefined ? findStorm(intervals, startSeconds, level) : undefined;
    if (own.apiPerSecond !== undefined) calm = own;
    if (death !== undefined && isForMemory(death.cause)) killedAt = death.kill?.residentBytes ?? killedAt;
    return { life, storm, sign: limitSign(life, killedAt), isMeasured: intervals.length > 0 };
  });
}

export function isForMemory(cause: DeathCause): boolean {
  return cause === 'oom' || cause === 'go-out-of-memory';
}

function findRestarters(seen: Observed, names: ProcessNames): Restarter[] {
  const restarters = new Map<string, Restarter>();
  const add = (restarter: Restarter): void => {
    const known = restarters.get(restarter.name);
    // A restarter that was seen to act tells more than one that only exists.
    if (known === undefined || (restarter.isActive && !known.isActive)) restarters.set(restarter.name, restarter);
  };
  for (const { event, atSeconds } of seen.logs) {
    if (event.kind !== 'repair' || !names.isProcess(event.component)) continue;
    const when = atSeconds === undefined ? '' : ` at ${timeText(atSeconds)}`;
    const sentence = event.acts
      ? `it repaired the ${event.component}${when}, which kills it`
      : `it found the ${event.component} unhealthy${when}, with repair on`;
    add({ name: CHECKER, isActive: true, sentence });
  }
  if (names.name !== 'kubelet') return [...restarters.values()];
  for (const { type, status, sinceSeconds } of seen.conditions) {
    if (type === 'KubeletUnhealthy') {
      const since = sinceSeconds === undefined ? '' : ` since ${timeText(sinceSeconds)}`;
      const sentence =
        status === 'True'
          ? `condition KubeletUnhealthy is True${since}: where repair is on, it kills the kubelet after its cool-down`
          : 'condition KubeletUnhealthy is there: where repair is on, it kills a kubelet that answers its health check late';
      add({ name: CHECKER, isActive: status === 'True', sentence });
    }
    if (type === 'FrequentKubeletRestart' && status === 'True') {
      const sentence =
        'condition FrequentKubeletRestart is True: it counted five starts in twenty minutes, and remedies that watch it may act';
      add({ name: COUNTER, isActive: true, sentence });
    }
  }
  for (const { reason, message, atSeconds } of seen.kubeEvents) {
    const when = atSeconds === undefined ? '' : ` at ${timeText(atSeconds)}`;
    if (reason === 'KubeletUnhealthy')
      add({ name: CHECKER, isActive: true, sentence: `it reported KubeletUnhealthy${when}` });
    if (reason === 'FrequentKubeletRestart' && !/: False/.test(message))
      add({ name: COUNTER, isActive: true, sentence: `it reported FrequentKubeletRestart${when}` });
  }
  return [...restarters.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
