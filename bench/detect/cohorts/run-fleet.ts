/** One fleet through the detector: when its leak was proved, what was blamed for it, and what was blamed wrongly. */
import { createFleetDetector } from '../../../src/judge/detect/fleet-detector.ts';
import type { CohortVerdict } from '../../../src/judge/cohorts/cohort-model.ts';
import { RECORD_START_SECONDS } from '../simulate/simulated-node.ts';
import { makeRolloutFleet, RECORD_HOURS, ROLLOUT_HOURS, type RolloutFleet } from './simulate/fleet.ts';
import type { RolloutKind } from './simulate/rollout-kinds.ts';

/** Fewer samples than in life, so that many fleets can be run: six of each hour. */
const STEP_SECONDS = 600;
const JUDGED_EVERY_HOURS = 2;
/** The detector learns what a pod holds from its usual evaluations. */
const LEARNS_EVERY_HOURS = 12;

export interface FleetScore {
  readonly kind: string;
  /** Those that have what leaks; differs from fleet to fleet where it was always there. */
  readonly canaries: number;
  /** As the kind says; 0 where it was always there. */
  readonly rolledOutTo: number;
  readonly barHours: number | undefined;
  readonly leaks: boolean;
  readonly seed: number;
  readonly size: number;
  /** After the last canary changed; undefined if never. */
  readonly provedHours: number | undefined;
  readonly watchedHours: number | undefined;
  /** What the first proof blamed: the change or an alias of it. */
  readonly isRight: boolean | undefined;
  /** Blamed without being at fault, each once. */
  readonly wrong: readonly string[];
  /** Canaries that do not leak, and how many of them the last verdict names with what they have different. */
  readonly sound: number;
  readonly explained: number;
  readonly ratio: number | undefined;
}

interface Proof {
  readonly hours: number;
  readonly isRight: boolean;
  readonly ratio: number;
}

export function runRolloutFleet(kind: RolloutKind, seed: number, size: number): FleetScore {
  const fleet = makeRolloutFleet(kind, seed, size, STEP_SECONDS);
  const detector = createFleetDetector();
  for (const { node, attributes } of fleet.nodes) detector.describe(node.name, attributes, RECORD_START_SECONDS);
  const due = fleet.nodes.map(() => 0);
  const wrong = new Map<string, string>();
  let proved: Proof | undefined;
  let explained = 0;
  let watchedHours: number | undefined;
  for (let at = JUDGED_EVERY_HOURS; at <= RECORD_HOURS; at += JUDGED_EVERY_HOURS) {
    fleet.nodes.forEach(({ node, changes }, i) => {
      node.advance(at, (target, atSeconds, values) => {
        const hours = (atSeconds - RECORD_START_SECONDS) / 3600;
        for (; due[i] < changes.length && changes[due[i]].atHours <= hours; due[i]++) {
          detector.describe(target, changes[due[i]].attributes, atSeconds);
        }
        detector.observe(target, atSeconds, values);
      });
    });
    const atSeconds = RECORD_START_SECONDS + at * 3600;
    if (at % LEARNS_EVERY_HOURS === 0) detector.evaluate(atSeconds);
    if (at < ROLLOUT_HOURS - 12) continue;
    for (const verdict of detector.evaluateCohorts(atSeconds)) {
      if (verdict.verdict !== 'leak' && verdict.verdict !== 'watch') continue;
      const isRight = blamesTruth(verdict, fleet);
      if (verdict.verdict === 'watch') {
        if (isRight) watchedHours ??= at - fleet.doneHours;
        continue;
      }
      const perHour = kind.leak?.perHour ?? NaN;
      if (isRight) {
        const ratio = verdict.ratePerHour[1] / perHour;
        proved ??= { hours: at - fleet.doneHours, isRight, ratio };
        explained = explainedBy(verdict, fleet);
      } else {
        const name = `${verdict.attribute}=${verdict.value}`;
        if (!wrong.has(name))
          wrong.set(name, `${name} after ${(at - fleet.doneHours).toFixed(0)} h: ${verdict.sentence}`);
        if (kind.leak !== undefined) proved ??= { hours: at - fleet.doneHours, isRight, ratio: NaN };
      }
    }
  }
  return {
    kind: kind.name,
    canaries: fleet.nodes.filter(({ isCanary }) => isCanary).length,
    rolledOutTo: kind.canaries,
    barHours: kind.barHours,
    leaks: kind.leak !== undefined,
    seed,
    size,
    provedHours: proved?.isRight === true ? proved.hours : undefined,
    watchedHours,
    isRight: proved?.isRight,
    wrong: [...wrong.values()],
    sound: kind.leak === undefined ? 0 : fleet.nodes.filter(({ isCanary, leaks }) => isCanary && !leaks).length,
    explained,
    ratio: proved?.ratio,
  };
}

/** The change itself, or a value that exactly the canaries have. */
function blamesTruth({ attribute, value }: CohortVerdict, { kind, nodes }: RolloutFleet): boolean {
  if (kind.leak === undefined) return false;
  if (kind.changes[attribute] === value) return true;
  if (kind.standing?.[0] === attribute && kind.standing[1] === value) return true;
  return nodes.every(({ attributes, changes, isCanary }) => {
    const last = changes.findLast(change => attribute in change.attributes)?.attributes[attribute];
    return ((last ?? attributes[attribute]) === value) === isCanary;
  });
}

/** Sound canaries that the verdict names as counter-examples, with the attribute that spares them. */
function explainedBy({ against }: CohortVerdict, { kind, nodes }: RolloutFleet): number {
  const [attribute] = kind.leaksOnlyOn ?? [];
  if (attribute === undefined) return 0;
  const sound = new Set(nodes.filter(({ isCanary, leaks }) => isCanary && !leaks).map(({ node }) => node.name));
  return against.filter(({ target, differs }) => sound.has(target) && differs.some(what => what.includes(attribute)))
    .length;
}
