/**
 * The cost of the detector with a scrape each minute: evaluated each minute and each five minutes, and the memory kept.
 */
import { createFleetDetector } from '../../../src/judge/detect/fleet-detector.ts';
import type { FleetDetector } from '../../../src/judge/detect/detection.ts';
import { table } from '../../table.ts';
import { cpuSecondsOf, garbageCollector } from '../cost.ts';
import { makeFleet, type Fleet } from './simulate/fleet.ts';
import { Player, secondsOf } from './simulate/recording.ts';

const TARGETS = 1000;
const SIMULATED = 50;
const HISTORY_MINUTES = 2 * 1440;
const MEASURED_MINUTES = 120;
const KEPT_LIMIT_KB = 8;

interface Measured {
  /** Kept until everything is measured: memory freed late by one would be missing from the next. */
  readonly detector: FleetDetector;
  readonly cpuSeconds: number;
  readonly evaluations: number;
  readonly resources: number;
  readonly keptBytes: number;
  readonly observeMicroseconds: number;
}

export function evaluateFastCost(): string {
  const fleet = makeFleet({ seed: 1, days: 3, healthyEach: 5, leaksEach: 0, scenario: undefined });
  // Once without a measurement, since code and shapes are not part of the targets' state.
  const dry = measure(fleet, 5, SIMULATED);
  const each = [1, 5].map(everyMinutes => [everyMinutes, measure(fleet, everyMinutes, TARGETS)] as const);
  dry.detector.evaluate(secondsOf(HISTORY_MINUTES + MEASURED_MINUTES));
  const header = [
    'evaluated',
    'CPU per target, resource and evaluation',
    'CPU per hour',
    'kept per target and resource',
    'observe',
  ];
  const rows = each.map(([everyMinutes, measured]) => [
    everyMinutes === 1 ? 'each minute' : `each ${everyMinutes} minutes`,
    `${((measured.cpuSeconds * 1000) / measured.evaluations / measured.resources).toFixed(4)} ms`,
    `${((measured.cpuSeconds * 60) / MEASURED_MINUTES).toFixed(2)} s`,
    `${(measured.keptBytes / measured.resources / 1000).toFixed(2)} KB`,
    `${measured.observeMicroseconds.toFixed(2)} us a scrape`,
  ]);
  const { resources } = each[0][1];
  return (
    `${TARGETS} targets (${SIMULATED} simulated processes), ${resources} resources, ${HISTORY_MINUTES / 1440} days of scrapes ` +
    `each minute, then evaluated for ${MEASURED_MINUTES / 60} h; goals: 0.3 ms, ${KEPT_LIMIT_KB} KB, each minute not above each five\n\n` +
    table(header, rows)
  );
}

function measure({ processes }: Fleet, everyMinutes: number, targets: number): Measured {
  const recordings = processes
    .map(({ recording }) => recording)
    .filter(({ minutes }) => minutes > HISTORY_MINUTES + MEASURED_MINUTES)
    .slice(0, SIMULATED);
  const players = recordings.map(recording => new Player(recording));
  const names = namesOf(
    recordings.map(({ target }) => target),
    targets,
  );
  const collectGarbage = garbageCollector();
  const before = collectGarbage();
  const detector = createFleetDetector();
  let observed = 0;
  const playTo = (minute: number): void => {
    for (const player of players) {
      player.playTo(minute, (target, atSeconds, values) => {
        for (const name of names.get(target) ?? []) detector.observe(name, atSeconds, values);
        observed += names.get(target)?.length ?? 0;
      });
    }
  };
  const fed = cpuSecondsOf(() => playTo(HISTORY_MINUTES));
  const observeMicroseconds = (fed.cpu * 1e6) / observed;
  const resources = warmUp(detector);
  const keptBytes = collectGarbage() - before;
  let cpuSeconds = 0;
  let evaluations = 0;
  for (let minute = HISTORY_MINUTES + 1; minute <= HISTORY_MINUTES + MEASURED_MINUTES; minute++) {
    playTo(minute);
    if (minute % everyMinutes !== 0) continue;
    evaluations++;
    cpuSeconds += cpuSecondsOf(() => void detector.evaluate(secondsOf(minute))).cpu;
  }
  return { detector, cpuSeconds, evaluations, resources, keptBytes, observeMicroseconds };
}

/** The first evaluation is not measured: it has the whole history to catch up on. */
function warmUp(detector: FleetDetector): number {
  return detector.evaluate(secondsOf(HISTORY_MINUTES)).reduce((sum, { resources }) => sum + resources.length, 0);
}

/** Each simulated process stands for several targets. */
function namesOf(targets: readonly string[], count: number): ReadonlyMap<string, readonly string[]> {
  const names = new Map(targets.map(target => [target, [] as string[]]));
  for (let i = 0; i < count; i++) names.get(targets[i % targets.length])?.push(`${targets[i % targets.length]}-${i}`);
  return names;
}
