/** A process with a fast leak: healthy for minutes to days, or leaking from its start on. */
import type { Dice } from '../../simulate/dice.ts';
import { layBackground } from './background.ts';
import { drawExecStorm, drawPodWave, layExecStorm, layPodWave, layReconnect, layRelist } from './bursts.ts';
import { beginCourse, cutCourse, type Course } from './course.ts';
import { atRandom, type Setting } from './healthy-scenarios.ts';
import {
  deadlineMinutes,
  drawArrival,
  fittingLevels,
  leakedBy,
  levelAtOnset,
  startsPerHourFor,
  type Leak,
  type Speed,
} from './leak.ts';
import type { Process } from './process.ts';
import { atLevels, type ProcessTraits } from './process-traits.ts';
import { cutLevels, levelsOf, record } from './settle.ts';

/** One judgement after the deadline is still included. */
const AFTER_DEADLINE_MINUTES = 11;
const MIN_HISTORY_MINUTES = 4;
/** A burst may have raised the level at the onset, and with it the deadline. */
const MAX_ABOVE_USUAL = 3;
/** Largest share of the time to the deadline that a gap between scrapes may take. */
const MAX_GAP_SHARE = 0.05;
const BURSTS_PER_DAY = 0.5;

export function makeLeaking(speed: Speed, target: string, setting: Setting, fleetMinutes: number): Process {
  const { dice } = setting;
  const fitted = fitting(speed, setting.traits, dice);
  const usualLevel = speed.resource === 'goroutines' ? fitted.goroutines : fitted.heapBytes;
  const usualDeadline = deadlineMinutes(speed, usualLevel);
  const arriving = drawArrival(fitted, usualDeadline, dice);
  const startsPerHour = startsPerHourFor(usualDeadline, dice);
  const traits = arriving.arrival === 'per pod start' ? { ...fitted, startsPerHour } : fitted;
  const began = drawBegin(Math.max(60, fleetMinutes - 1.3 * usualDeadline), dice);
  const longest = Math.ceil(began.onset + MAX_ABOVE_USUAL * usualDeadline) + AFTER_DEADLINE_MINUTES;
  const fleetMinute = dice.integer(0, Math.max(0, Math.floor(fleetMinutes - began.onset - 1.3 * usualDeadline)));
  const whole = beginCourse(traits, { ...began, fleetMinute, minutes: longest }, dice);
  layBackground(whole, { ...setting, traits });
  if (dice.chance(0.2)) laySomeBursts(whole, traits, dice);
  const wholeLevels = levelsOf(whole, traits, dice);

  const level = began.sinceStart
    ? usualLevel
    : Math.min(MAX_ABOVE_USUAL * usualLevel, levelAtOnset(speed, wholeLevels, began.onset));
  const deadline = deadlineMinutes(speed, level);
  const leak: Leak = {
    ...arriving,
    speed,
    onset: began.onset,
    sinceStart: began.sinceStart,
    level,
    deadlineMinutes: deadline,
    heapBytesPerGoroutine: dice.logUniform(2000, 30_000),
    descriptorsPerGoroutine: dice.chance(0.3) ? 1 : 0,
  };
  const course = cutCourse(whole, Math.min(longest, Math.ceil(leak.onset + deadline) + AFTER_DEADLINE_MINUTES));
  const exposure = {
    target,
    traits,
    course: { ...course, gaps: course.gaps.filter(gap => isShort(gap, leak)) },
    levels: cutLevels(wholeLevels, course.minutes),
    leaked: leakedBy(leak, course, traits, dice),
    lostShare: dice.logUniform(0.001, 0.02),
    exposesLimit: dice.chance(0.3),
  };
  return { scenario: speed.name, traits, leak, course, levels: exposure.levels, recording: record(exposure, dice) };
}

/** The same process, at a level that the leak doubles within two days. */
function fitting(speed: Speed, traits: ProcessTraits, dice: Dice): ProcessTraits {
  const [least, most] = fittingLevels(speed, traits.kind);
  const key = speed.resource === 'goroutines' ? 'goroutines' : 'heapBytes';
  return traits[key] <= most ? traits : atLevels(traits, { [key]: dice.logUniform(least, most) });
}

interface Begin {
  readonly onset: number;
  readonly sinceStart: boolean;
  readonly ageMinutes: number;
  readonly restarts: readonly number[];
}

function drawBegin(mostHistory: number, dice: Dice): Begin {
  const onset = dice.logUniform(MIN_HISTORY_MINUTES, mostHistory);
  const ageMinutes = dice.logUniform(600, 100_000);
  const kind = dice.uniform(0, 1);
  // Found within two minutes of its start.
  const justStarted = dice.uniform(0, 2);
  if (kind < 0.12) return { onset: -justStarted, sinceStart: true, ageMinutes: justStarted, restarts: [] };
  // It came with an upgrade.
  if (kind < 0.25) return { onset, sinceStart: true, ageMinutes, restarts: [onset] };
  if (kind < 0.4) return { onset, sinceStart: false, ageMinutes: justStarted, restarts: [] };
  return { onset, sinceStart: false, ageMinutes, restarts: [] };
}

function laySomeBursts(course: Course, traits: ProcessTraits, dice: Dice): void {
  const bursts = [
    (at: number) => layExecStorm(course, at, drawExecStorm(traits, dice, 200), dice),
    (at: number) => layRelist(course, traits, at, dice, 0.4),
    (at: number) => layReconnect(course, traits, at, 0.7, dice),
    ...(traits.kind === 'kubelet' ? [(at: number) => layPodWave(course, at, drawPodWave(dice), dice)] : []),
  ];
  atRandom(course, BURSTS_PER_DAY, dice, dice.pick(bursts));
}

function isShort([from, to]: readonly [number, number], { onset, deadlineMinutes }: Leak): boolean {
  return to <= onset || to - from <= MAX_GAP_SHARE * deadlineMinutes;
}
