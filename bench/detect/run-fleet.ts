/**
 * Runs all panels on one fleet, from the first hour to the last.
 *
 *     each slice: nodes run on -> panels observe -> panels judge -> tallies compare with the truth
 */
import type { Panel } from './panel.ts';
import { Tally, type Call, type NodeScore } from './score/tally.ts';
import type { Truth, TruthNow } from './score/truth.ts';
import { RECORD_START_SECONDS, type Observe, type SimulatedNode } from './simulate/simulated-node.ts';
import { typicalLevel } from './simulate/plan.ts';

/** Something that can be observed and whose truth is known. */
export interface Member {
  readonly truth: Truth;
  advance(toHours: number, observe: Observe): void;
  now(): TruthNow;
}

export function simulatedMember(node: SimulatedNode, seed: number, hours: number): Member {
  const { plan, name, scenario } = node;
  const truth: Truth = {
    seed,
    target: name,
    scenario,
    hours,
    leak: plan.leak,
    level: plan.leak === undefined ? NaN : typicalLevel(plan, plan.leak.resource),
    notes: plan.notes,
  };
  return {
    truth,
    advance: (toHours, observe) => node.advance(toHours, observe),
    now: () => ({ leakPerHour: metric => node.leakPerHour(metric), hoursToLimit: node.hoursToLimit() }),
  };
}

export type ScoresBySubject = ReadonlyMap<string, readonly NodeScore[]>;

const QUIET: Call = { alarm: false, watch: false };

export function runFleet(
  members: readonly Member[],
  panels: readonly Panel[],
  hours: number,
  everyHours: number,
): ScoresBySubject {
  const tallies = new Map<string, Map<string, Tally>>();
  const observe: Observe = (target, atSeconds, values) => {
    for (const panel of panels) panel.observe(target, atSeconds, values);
  };
  for (let at = everyHours; at <= hours; at += everyHours) {
    for (const member of members) member.advance(at, observe);
    // A record may end before the others do; verdicts on it after that do not count.
    const alive = members.filter(({ truth }) => at <= truth.hours);
    const truths = new Map(alive.map(member => [member.truth.target, member.now()]));
    for (const { subject, calls } of panels.flatMap(panel => panel.judge(RECORD_START_SECONDS + at * 3600))) {
      const ofSubject = tallies.get(subject) ?? new Map(members.map(({ truth }) => [truth.target, new Tally(truth)]));
      tallies.set(subject, ofSubject);
      for (const [target, tally] of ofSubject) {
        const now = truths.get(target);
        if (now !== undefined) tally.note(at, calls.get(target) ?? QUIET, now, RECORD_START_SECONDS);
      }
    }
  }
  return new Map(
    Array.from(tallies, ([subject, ofSubject]) => [subject, Array.from(ofSubject.values(), tally => tally.score())]),
  );
}
