/**
 * Turns the live heap of a Go process into the numbers that it exposes, minute by minute.
 *
 *     next_gc     - - -/|- -/|     the heap climbs from the live size to the goal and falls back, or to what is
 *     heap_alloc  ____/ |__/ |__   allocated in the two minutes after which the runtime forces a collection
 *     gc_live     ______|____|__   what the last collection found: steps
 *     resident    keeps the peak; the scavenger returns the rest over minutes to hours
 */
import type { Dice } from '../../simulate/dice.ts';
import type { Column } from './columns.ts';
import type { ProcessTraits } from './process-traits.ts';

const FORCED_COLLECTION_SECONDS = 120;
const MIN_GOAL_BYTES = 4 << 20;
const RESIDENT_BYTES_PER_THREAD = 60_000;
const PAGE = 8192;
/** The scavenger keeps a tenth above the goal. */
const SCAVENGER_SLACK = 1.1;

export interface GoMemory {
  readonly liveBytes: Column;
  readonly nextGcBytes: Column;
  readonly heapAllocBytes: Column;
  readonly heapInUseBytes: Column;
  readonly heapIdleBytes: Column;
  readonly heapReleasedBytes: Column;
  readonly stackBytes: Column;
  readonly residentBytes: Column;
}

export interface GoLoad {
  /** Everything reachable, including the leak. */
  readonly reachableBytes: Column;
  readonly goroutines: Column;
  readonly threads: Column;
  /** Minutes at which a process begins. */
  readonly begins: ReadonlySet<number>;
  readonly allocationBytesPerSecond: number;
}

export function runGoMemory(load: GoLoad, traits: ProcessTraits, dice: Dice): GoMemory {
  const minutes = load.reachableBytes.length;
  const column = (): Column => new Float64Array(minutes);
  const memory: GoMemory = {
    liveBytes: column(),
    nextGcBytes: column(),
    heapAllocBytes: column(),
    heapInUseBytes: column(),
    heapIdleBytes: column(),
    heapReleasedBytes: column(),
    stackBytes: column(),
    residentBytes: column(),
  };
  const { allocationBytesPerSecond } = load;
  const { gogc, fragmentation } = traits;
  const scavenged = Math.exp(-1 / traits.scavengerMinutes);
  let live = load.reachableBytes[0];
  let sinceSeconds = dice.uniform(0, 60);
  let heldBytes = 0;
  let heldStackBytes = 0;
  let mostHeapBytes = 0;
  for (let minute = 0; minute < minutes; minute++) {
    if (load.begins.has(minute)) heldBytes = heldStackBytes = mostHeapBytes = 0;
    const reachable = load.reachableBytes[minute];
    const cycleSeconds = Math.min(FORCED_COLLECTION_SECONDS, garbageToGoal(live, gogc) / allocationBytesPerSecond);
    sinceSeconds += 60;
    if (sinceSeconds >= cycleSeconds) {
      // Requests in flight during the mark phase count as live.
      live = reachable * (1 + Math.abs(dice.normal()) * traits.noiseShare);
      sinceSeconds = cycleSeconds > 60 ? sinceSeconds - cycleSeconds : dice.uniform(0, cycleSeconds);
    }
    const most = garbageToGoal(live, gogc);
    const alloc = live + Math.min(most, allocationBytesPerSecond * sinceSeconds);
    const inUse = alloc * fragmentation;
    const peak = live * fragmentation + Math.min(most, allocationBytesPerSecond * FORCED_COLLECTION_SECONDS);
    heldBytes = heldDown(heldBytes, Math.max(peak, inUse), scavenged);
    mostHeapBytes = Math.max(mostHeapBytes, heldBytes);
    // Stacks are freed by the collector.
    heldStackBytes = heldDown(heldStackBytes, load.goroutines[minute] * traits.stackBytesPerGoroutine, 0.5);

    memory.liveBytes[minute] = Math.round(live);
    memory.nextGcBytes[minute] = Math.round(live + most);
    memory.heapAllocBytes[minute] = Math.round(alloc);
    memory.heapInUseBytes[minute] = pages(inUse);
    memory.heapIdleBytes[minute] = pages(mostHeapBytes - inUse);
    memory.heapReleasedBytes[minute] = pages(mostHeapBytes - heldBytes);
    memory.stackBytes[minute] = pages(heldStackBytes);
    memory.residentBytes[minute] = pages(
      heldBytes + heldStackBytes + traits.offHeapBytes + load.threads[minute] * RESIDENT_BYTES_PER_THREAD,
    );
  }
  return memory;
}

function garbageToGoal(live: number, gogc: number): number {
  return Math.max(live * gogc, MIN_GOAL_BYTES - live);
}

/** Rises at once; falls to what is in use, plus some slack, over the time constant. */
function heldDown(held: number, inUse: number, kept: number): number {
  if (inUse >= held) return inUse;
  const floor = Math.min(held, inUse * SCAVENGER_SLACK);
  return floor + (held - floor) * kept;
}

function pages(bytes: number): number {
  return Math.round(bytes / PAGE) * PAGE;
}
