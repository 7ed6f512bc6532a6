/** Processes that do not leak, although they may look like it for minutes or hours. */
import type { Dice } from '../../simulate/dice.ts';
import {
  drawBatchJob,
  drawExecStorm,
  drawHang,
  drawPodWave,
  layBatchJob,
  layExecStorm,
  layHang,
  layPodWave,
  layReconnect,
  layRelist,
} from './bursts.ts';
import { MINUTES_PER_DAY, type Course } from './course.ts';
import { drawCacheFill, drawSeason, layCacheFill, laySeason, layStep } from './level-changes.ts';
import type { ProcessTraits } from './process-traits.ts';

export interface Setting {
  readonly traits: ProcessTraits;
  readonly dice: Dice;
  readonly events: FleetEvents;
}

/** What happens to many processes of a fleet at the same time, in minutes of its record. */
export interface FleetEvents {
  readonly blips: readonly number[];
  readonly rollouts: readonly number[];
}

export interface HealthyScenario {
  readonly name: string;
  readonly only?: 'kubelets' | 'kubelets that show their pods';
  /** Observed from its start for this many minutes; others are observed as long as the fleet. */
  readonly young?: (dice: Dice) => number;
  /** It has no season besides its own. */
  readonly ownSeason?: boolean;
  /** Minutes at which the process is restarted. */
  readonly restarts?: (minutes: number, setting: Setting) => number[];
  readonly lay: (course: Course, setting: Setting) => void;
}

export const HEALTHY_SCENARIOS: readonly HealthyScenario[] = [
  { name: 'steady', lay: () => {} },
  { name: 'exec storms', lay: execStorms },
  { name: 'reconnects', lay: reconnects },
  { name: 'pod waves', only: 'kubelets', lay: podWaves },
  { name: 'relists', lay: relists },
  { name: 'steps', lay: steps },
  { name: 'restarts', restarts: restartsOften, lay: () => {} },
  { name: 'rollouts', restarts: (_minutes, { dice, events }) => rolledOut(events, dice), lay: () => {} },
  { name: 'caches that fill', lay: cachesThatFill },
  { name: 'young', young: dice => dice.logUniform(720, 2880), lay: () => {} },
  { name: 'young, with a burst', young: dice => dice.logUniform(720, 2880), lay: youngBurst },
  { name: 'strong seasons', ownSeason: true, lay: strongSeasons },
  { name: 'daily batch jobs', lay: dailyBatchJobs },
  { name: 'hung peer', only: 'kubelets that show their pods', lay: hungPeer },
  { name: 'several together', ownSeason: true, restarts: someRestarts, lay: severalTogether },
];

/** Calls `lay` at random times, at an average rate per day. */
export function atRandom({ minutes }: Course, perDay: number, dice: Dice, lay: (at: number) => void): void {
  // Starts before the record, so that some events are in progress when it begins.
  for (
    let at = -dice.exponential(MINUTES_PER_DAY / perDay);
    at < minutes;
    at += dice.exponential(MINUTES_PER_DAY / perDay)
  ) {
    lay(at);
  }
}

function execStorms(course: Course, { traits, dice }: Setting): void {
  const perDay = dice.logUniform(0.7, 5);
  atRandom(course, perDay, dice, at => layExecStorm(course, at, drawExecStorm(traits, dice), dice));
}

function reconnects(course: Course, { traits, dice }: Setting): void {
  const perDay = dice.logUniform(1, 12);
  atRandom(course, perDay, dice, at => layReconnect(course, traits, at, dice.uniform(0.5, 1.2), dice));
}

function podWaves(course: Course, { dice }: Setting): void {
  const perDay = dice.logUniform(0.4, 3);
  atRandom(course, perDay, dice, at => layPodWave(course, at, drawPodWave(dice), dice));
}

function relists(course: Course, { traits, dice }: Setting): void {
  const perDay = dice.logUniform(0.7, 8);
  atRandom(course, perDay, dice, at => layRelist(course, traits, at, dice));
}

function steps(course: Course, { dice }: Setting): void {
  const perDay = dice.logUniform(0.2, 0.8);
  atRandom(course, perDay, dice, at => layStep(course, at, dice));
}

function restartsOften(minutes: number, { dice }: Setting): number[] {
  const everyMinutes = dice.logUniform(300, 2880);
  return restartsEvery(everyMinutes, minutes, dice);
}

function someRestarts(minutes: number, { dice }: Setting): number[] {
  return dice.chance(0.3) ? restartsEvery(dice.logUniform(600, 5000), minutes, dice) : [];
}

function restartsEvery(everyMinutes: number, minutes: number, dice: Dice): number[] {
  const times: number[] = [];
  for (let at = dice.uniform(0, everyMinutes); at < minutes; at += everyMinutes * dice.around(0.3)) times.push(at);
  return times;
}

function rolledOut({ rollouts }: FleetEvents, dice: Dice): number[] {
  return rollouts.map(at => at + dice.uniform(0, 60));
}

/** In the heap for most processes; for some, workers for each key of the cache. */
function cachesThatFill(course: Course, { dice }: Setting): void {
  const fill = drawCacheFill(dice);
  const factor = dice.chance(0.8) ? course.heapFactor : course.goroutineFactor;
  let at = dice.uniform(-fill.fillMinutes, MINUTES_PER_DAY);
  while (at < course.minutes) {
    const dropAt = at + fill.fillMinutes + dice.logUniform(120, 3000);
    layCacheFill(course, factor, at, dropAt, fill);
    at = dropAt + dice.logUniform(1, 600);
  }
}

/** In its first hours, while it is still warming up. */
function youngBurst(course: Course, setting: Setting): void {
  const { traits, dice } = setting;
  const at = dice.logUniform(5, 300);
  const bursts = [
    () => layExecStorm(course, at, drawExecStorm(traits, dice), dice),
    () => layRelist(course, traits, at, dice),
    () => layCacheFill(course, course.heapFactor, at, Infinity, drawCacheFill(dice)),
    ...(traits.kind === 'kubelet' ? [() => layPodWave(course, at, drawPodWave(dice), dice)] : []),
  ];
  dice.pick(bursts)();
}

function strongSeasons(course: Course, { dice }: Setting): void {
  laySeason(course, drawSeason(dice), dice);
}

function dailyBatchJobs(course: Course, { traits, dice }: Setting): void {
  const job = drawBatchJob(dice);
  const minuteOfDay = dice.uniform(0, MINUTES_PER_DAY);
  for (let day = -1; day * MINUTES_PER_DAY < course.minutes; day++) {
    const at = day * MINUTES_PER_DAY + minuteOfDay - (course.fleetMinute % MINUTES_PER_DAY) + dice.uniform(0, 15);
    layBatchJob(course, traits, at, job, dice);
  }
}

function hungPeer(course: Course, { dice }: Setting): void {
  const perDay = dice.logUniform(0.3, 2);
  atRandom(course, perDay, dice, at => layHang(course, at, drawHang(dice), dice));
}

/** What a real process has: one that changes its level slowly, and one to three bursts. */
function severalTogether(course: Course, setting: Setting): void {
  const { dice, traits } = setting;
  const bursts = [execStorms, reconnects, relists, dailyBatchJobs];
  if (traits.kind === 'kubelet') bursts.push(podWaves);
  if (traits.showsPods) bursts.push(hungPeer);
  const chosen = [
    dice.pick([steps, cachesThatFill, strongSeasons]),
    ...dice.shuffle(bursts).slice(0, dice.integer(1, 3)),
  ];
  for (const lay of chosen) lay(course, setting);
}
