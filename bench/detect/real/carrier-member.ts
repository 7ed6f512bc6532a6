/** A real series as a member of a fleet, unchanged or with a leak added. */
import type { Member } from '../run-fleet.ts';
import type { Truth } from '../score/truth.ts';
import { diceFrom } from '../simulate/dice.ts';
import type { Leak } from '../simulate/plan.ts';
import { RECORD_START_SECONDS } from '../simulate/simulated-node.ts';
import type { Carrier } from './datasets.ts';

/** The metric name of the memory. */
export type MemoryMetric = 'process_resident_memory_bytes' | 'go_gc_heap_live_bytes';

/** Share of the level per day. */
const MIN_PER_DAY = 0.01;
const MAX_PER_DAY = 0.04;
const LATEST_ONSET_SHARE = 0.3;
const LEVEL_HOURS = 24;

export function carrierMember(carrier: Carrier, metric: MemoryMetric, round: number, injected: boolean): Member {
  const { hours, bytes, name, dataset } = carrier;
  const lengthHours = hours[hours.length - 1];
  const level = levelOf(carrier);
  const leak = injected ? drawLeak(name, round, lengthHours, level) : undefined;
  const truth: Truth = {
    seed: round,
    target: name,
    scenario: dataset,
    hours: lengthHours,
    leak,
    level,
    notes:
      leak === undefined ? {} : { percentPerDay: ((leak.unitsPerHour * 24) / level) * 100, onset: leak.onsetHours },
  };
  let next = 0;
  return {
    truth,
    advance: (toHours, observe) => {
      for (; next < hours.length && hours[next] <= toHours; next++) {
        const leaked = leak === undefined ? 0 : Math.max(0, hours[next] - leak.onsetHours) * leak.unitsPerHour;
        observe(name, RECORD_START_SECONDS + hours[next] * 3600, { [metric]: Math.round(bytes[next] + leaked) });
      }
    },
    now: () => ({ leakPerHour: () => leak?.unitsPerHour ?? 0, hoursToLimit: undefined }),
  };
}

function drawLeak(name: string, round: number, lengthHours: number, level: number): Leak {
  const dice = diceFrom(hashOf(name), round);
  return {
    resource: 'live heap',
    clock: 'hour',
    unitsPerHour: (level * dice.logUniform(MIN_PER_DAY, MAX_PER_DAY)) / 24,
    stairHours: undefined,
    onsetHours: dice.uniform(0, LATEST_ONSET_SHARE * lengthHours),
    stopHours: Infinity,
    heapBytesPerUnit: 0,
  };
}

function levelOf({ hours, bytes }: Carrier): number {
  const first = bytes.filter((_, i) => hours[i] < LEVEL_HOURS).sort();
  return first[Math.floor(first.length / 2)];
}

/** FNV-1a: the half of a machine must depend on nothing but its name. */
export function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
