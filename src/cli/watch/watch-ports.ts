/** The ports of a watch, put together from the adapters. */
import { setTimeout as delay } from 'node:timers/promises';
import { scratchFolder } from '../../live/io/capture-folder.ts';
import { captureGate, GATE_LIMITS } from '../../live/capture/capture-gate.ts';
import type { Background } from '../../watch/background.ts';
import type { Share, Exchange } from '../../watch/replicas/ports.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ProfilerSource, WatchPorts } from '../../watch/state/watch-state.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { WatchStore } from '../../store/ports.ts';

export interface WatchParts {
  readonly store: WatchStore;
  readonly background: Background;
  readonly clock: WatchClock;
  readonly profiler?: ProfilerSource | undefined;
  /** Both undefined if the watch is alone. */
  readonly share?: Share | undefined;
  readonly exchange?: Exchange | undefined;
}

export function watchPorts(
  parts: WatchParts,
  catalogue: readonly KnownLeak[],
  log: (line: string) => void,
): WatchPorts {
  return {
    ...parts,
    random: Math.random,
    scratchFolder: () => scratchFolder('the store'),
    gate: captureGate({ ...GATE_LIMITS, random: Math.random, sleep: seconds => delay(seconds * 1000) }),
    catalogue,
    log,
  };
}
