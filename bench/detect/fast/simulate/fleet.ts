/** A fleet of one seed: kubelets of a few pools and other Go daemons, most of them healthy, some with a fast leak. */
import { diceFrom, type Dice } from '../../simulate/dice.ts';
import { layBackground } from './background.ts';
import { beginCourse, MINUTES_PER_DAY } from './course.ts';
import { HEALTHY_SCENARIOS, type FleetEvents, type HealthyScenario, type Setting } from './healthy-scenarios.ts';
import { SPEEDS, type Speed } from './leak.ts';
import { makeLeaking } from './leaking-process.ts';
import type { Process } from './process.ts';
import { drawApplication, drawKubeletPool, spreadTraits, type ProcessTraits } from './process-traits.ts';
import { levelsOf, record } from './settle.ts';

export interface FleetOptions {
  readonly seed: number;
  readonly days: number;
  /** This many processes per scenario, and per speed. */
  readonly healthyEach: number;
  readonly leaksEach: number;
  /** Only scenarios and speeds whose name contains this. */
  readonly scenario: string | undefined;
}

export interface Fleet {
  readonly seed: number;
  readonly minutes: number;
  readonly processes: readonly Process[];
}

const KUBELET_SHARE = 0.6;
/** Their records are short. */
const YOUNG_FOR_ONE = 3;

interface Kin {
  readonly pools: readonly ProcessTraits[];
  readonly applications: readonly ProcessTraits[];
}

export function makeFleet(options: FleetOptions): Fleet {
  const { seed, scenario } = options;
  const dice = diceFrom(seed, 11);
  const minutes = options.days * MINUTES_PER_DAY;
  const several = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const kin: Kin = {
    pools: several(dice.integer(3, 5), index => drawKubeletPool(`pool-${index}`, dice)),
    applications: several(dice.integer(10, 16), index => drawApplication(`application-${index}`, dice)),
  };
  const events = drawEvents(minutes, dice);
  const healthy = chosen(HEALTHY_SCENARIOS, scenario).flatMap(one =>
    several(options.healthyEach * (one.young === undefined ? 1 : YOUNG_FOR_ONE), () => one),
  );
  const leaks = chosen(SPEEDS, scenario).flatMap(one => several(options.leaksEach, () => one));
  const processes = [
    ...healthy.map((one, index) => makeHealthy(one, index, kin, events, minutes, diceFrom(seed, 12, index))),
    ...leaks.map((speed, index) => {
      const own = diceFrom(seed, 13, index);
      const setting = { traits: drawTraits(kin, own, kubeletShareOf(speed)), dice: own, events };
      return makeLeaking(speed, `leaking-${index}`, setting, minutes);
    }),
  ];
  return { seed, minutes, processes };
}

function chosen<T extends { readonly name: string }>(from: readonly T[], word: string | undefined): readonly T[] {
  return word === undefined ? from : from.filter(({ name }) => name.includes(word));
}

/** Kubelets rarely have the memory that the fastest leaks need. */
function kubeletShareOf({ resource, unitsPerHour }: Speed): number {
  return resource === 'live heap' && unitsPerHour >= 1e9 ? 0.2 : 0.5;
}

function drawTraits({ pools, applications }: Kin, dice: Dice, kubeletShare: number): ProcessTraits {
  return spreadTraits(dice.pick(dice.chance(kubeletShare) ? pools : applications), dice);
}

function makeHealthy(
  scenario: HealthyScenario,
  index: number,
  kin: Kin,
  events: FleetEvents,
  fleetMinutes: number,
  dice: Dice,
): Process {
  const traits = traitsFor(scenario, kin, dice);
  const setting: Setting = { traits, dice, events };
  const minutes = scenario.young === undefined ? fleetMinutes : Math.floor(scenario.young(dice));
  const options = {
    fleetMinute: dice.integer(0, fleetMinutes - minutes),
    minutes,
    // Up to ten minutes may pass before a new process is discovered.
    ageMinutes: scenario.young === undefined ? dice.logUniform(600, 100_000) : dice.uniform(0, 10),
    restarts: scenario.restarts?.(minutes, setting) ?? [],
  };
  const course = beginCourse(traits, options, dice);
  layBackground(course, setting);
  scenario.lay(course, setting);
  const levels = levelsOf(course, traits, dice);
  const exposure = {
    target: `healthy-${index}`,
    traits,
    course,
    levels,
    leaked: undefined,
    lostShare: dice.logUniform(0.001, 0.02),
    exposesLimit: dice.chance(0.3),
  };
  return { scenario: scenario.name, traits, leak: undefined, course, levels, recording: record(exposure, dice) };
}

function traitsFor({ only, ownSeason }: HealthyScenario, kin: Kin, dice: Dice): ProcessTraits {
  const traits = drawTraits(kin, dice, only === undefined ? KUBELET_SHARE : 1);
  return {
    ...traits,
    showsPods: traits.showsPods || only === 'kubelets that show their pods',
    seasonShare: ownSeason === true ? 0 : traits.seasonShare,
  };
}

function drawEvents(minutes: number, dice: Dice): FleetEvents {
  const times = (count: number): number[] =>
    Array.from({ length: count }, () => dice.uniform(0, minutes)).sort((a, b) => a - b);
  return { blips: times(dice.integer(1, 4)), rollouts: times(dice.integer(1, 3)) };
}
