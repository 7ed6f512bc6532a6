/**
 * Runs the detector on one fleet, minute by minute.
 *
 *     every few minutes: scrapes since the last time -> observe; evaluate -> tallies compare with the truth
 */
import type { FleetDetector, TargetVerdict } from '../../../src/judge/detect/detection.ts';
import type { EvaluationCost } from '../panel.ts';
import type { Fleet } from './simulate/fleet.ts';
import type { Process } from './simulate/process.ts';
import { Player, secondsOf } from './simulate/recording.ts';
import { Tally, type ProcessScore } from './tally.ts';

export interface Pace {
  readonly scrapedEveryMinutes: number;
  readonly judgedEveryMinutes: number;
}

export const USUAL_PACE: Pace = { scrapedEveryMinutes: 1, judgedEveryMinutes: 10 };
/** Enough for the slow scale, in a fifth of the time. */
export const COARSE_PACE: Pace = { scrapedEveryMinutes: 5, judgedEveryMinutes: 240 };

export type JudgedDetector = Pick<FleetDetector, 'describe' | 'observe' | 'evaluate'>;

interface Followed {
  readonly process: Process;
  readonly player: Player;
  readonly tally: Tally;
}

export function runFleet(
  fleet: Fleet,
  detector: JudgedDetector,
  cost: EvaluationCost,
  { scrapedEveryMinutes, judgedEveryMinutes }: Pace = USUAL_PACE,
): readonly ProcessScore[] {
  const all = fleet.processes.map((process): Followed => {
    const tally = new Tally(fleet.seed, process, judgedEveryMinutes);
    return { process, player: new Player(process.recording, scrapedEveryMinutes), tally };
  });
  for (const { recording, traits } of fleet.processes) detector.describe(recording.target, traits.attributes);
  let alive = all;
  for (let minute = judgedEveryMinutes; alive.length > 0; minute += judgedEveryMinutes) {
    for (const { player } of alive) {
      player.playTo(minute, (target, atSeconds, values) => detector.observe(target, atSeconds, values));
    }
    const verdicts = evaluated(detector, secondsOf(minute), cost);
    for (const { process, tally } of alive) {
      const age = minute - process.recording.fleetMinute;
      const verdict = verdicts.get(process.recording.target);
      if (age > 0 && verdict !== undefined) tally.note(age, verdict.resources);
    }
    alive = alive.filter(({ process, tally }) => !tally.isDone && !endsBy(process, minute + judgedEveryMinutes));
  }
  return all.map(({ tally }) => tally.score());
}

/** A judgement after the last scrape no longer counts. */
function endsBy({ recording }: Process, minute: number): boolean {
  return recording.fleetMinute + recording.minutes < minute;
}

function evaluated(
  detector: JudgedDetector,
  atSeconds: number,
  cost: EvaluationCost,
): ReadonlyMap<string, TargetVerdict> {
  const before = process.cpuUsage();
  const verdicts = detector.evaluate(atSeconds);
  const { user, system } = process.cpuUsage(before);
  cost.cpuSeconds += (user + system) / 1e6;
  for (const { resources } of verdicts) cost.verdicts += resources.length;
  return new Map(verdicts.map(verdict => [verdict.target, verdict]));
}
