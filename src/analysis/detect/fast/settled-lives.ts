/**
 * How far processes of this fleet rose in their youth before they settled. A process that has just started has no past
 * of its own; others that began at the same level, replicas and nodes of one pool, show what its warm-up may add.
 *
 *     level   ____/‾‾‾‾‾‾‾   start 100, settled at 310: a life that begins near 100 may rise 3.1 times
 *
 * Only lives that settled count. A leak never does, so a version that leaks everywhere cannot vouch for itself.
 */
import type { Kin } from '../state/fast-proof.ts';
import { FINE_MINUTES } from '../state/fine-column.ts';
import type { ResourceState, TargetState } from '../state/target-state.ts';
import { Youth } from '../state/youth.ts';

interface SettledLife {
  readonly resource: string;
  readonly hasPods: boolean;
  /** What each resource began with, by its name. */
  readonly starts: ReadonlyMap<string, number>;
  /** The highest level, and the level at which it settled, as multiples of the start. */
  readonly highest: number;
  readonly settled: number;
}

const MOST_LIVES = 512;
/** Levels at the start within this factor are alike. */
const ALIKE = 1.3;
/** The start is what was seen at this age. */
const START_FROM_MINUTES = 5;
const START_TO_MINUTES = 25;

export class SettledLives {
  readonly #lives: SettledLife[] = [];
  #next = 0;

  /** Follows the youth of a target; called whenever it is judged. */
  follow(target: TargetState, endBin: number): void {
    const ageMinutes = endBin * FINE_MINUTES - target.lifeBeganHours * 60;
    if (!(ageMinutes >= START_TO_MINUTES)) return;
    for (const resource of target.resources) {
      const { fine } = resource;
      if (fine === undefined) continue;
      if (resource.youth?.epoch !== target.epoch) resource.youth = beginYouth(target, resource, endBin, ageMinutes);
      const { youth } = resource;
      if (youth === undefined || youth.isOver) continue;
      const level = fine.last(endBin);
      if (Number.isNaN(level) || !youth.note(ageMinutes, level)) continue;
      if (!resource.leakyEpochs.has(target.epoch)) this.#add(target, resource, youth, level);
    }
  }

  #add(target: TargetState, resource: ResourceState, youth: Youth, level: number): void {
    this.#lives[this.#next++ % MOST_LIVES] = {
      resource: resource.rule.resource,
      hasPods: target.pods !== undefined,
      starts: startsOf(target),
      highest: youth.highest / youth.start,
      settled: level / youth.start,
    };
  }

  /** What lives that began like this one did. */
  kinOf(target: TargetState, resource: ResourceState): Kin {
    const { youth } = resource;
    if (youth?.epoch !== target.epoch || Number.isNaN(youth.start)) return NO_KIN;
    const starts = [...startsOf(target)];
    const kin = this.#lives.filter(
      life =>
        life.resource === resource.rule.resource &&
        life.hasPods === (target.pods !== undefined) &&
        starts.every(([name, start]) => isAlike(start, life.starts.get(name))),
    );
    if (kin.length === 0) return NO_KIN;
    return {
      lives: kin.length,
      usual: youth.start * quantileOf(kin, ({ settled }) => settled, USUAL),
      high: youth.start * quantileOf(kin, ({ highest }) => highest, HIGH),
    };
  }
}

/** A few of those that began alike are of another kind, or had a burst: neither the highest nor the lowest counts. */
const USUAL = 0.5;
const HIGH = 0.8;

function quantileOf(lives: readonly SettledLife[], of: (life: SettledLife) => number, share: number): number {
  const sorted = lives.map(of).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

const NO_KIN: Kin = { lives: 0, usual: NaN, high: NaN };

/** A life without a level near its start stays unknown. */
function beginYouth(target: TargetState, { fine }: ResourceState, endBin: number, ageMinutes: number): Youth {
  const first = Math.ceil(endBin - (ageMinutes - START_FROM_MINUTES) / FINE_MINUTES);
  const last = Math.floor(endBin - (ageMinutes - START_TO_MINUTES) / FINE_MINUTES);
  const start = fine?.medianBetween(first, last, endBin) ?? NaN;
  const youth = new Youth(target.epoch, start);
  if (Number.isNaN(start)) youth.isOver = true;
  return youth;
}

function startsOf(target: TargetState): Map<string, number> {
  const starts = new Map<string, number>();
  for (const { youth, rule } of target.resources) {
    if (youth !== undefined && youth.epoch === target.epoch && !Number.isNaN(youth.start)) {
      starts.set(rule.resource, youth.start);
    }
  }
  return starts;
}

function isAlike(a: number, b: number | undefined): boolean {
  return b !== undefined && a < ALIKE * b && b < ALIKE * a;
}
