/** The ports of a watch, put together from the adapters. */
import { setTimeout as delay } from 'node:timers/promises';
import { scratchFolder } from '../../adapters/files/scratch-folder.ts';
import { captureGate, GATE_LIMITS } from '../../engine/capture/capture-gate.ts';
import type { Background } from '../../ports/background.ts';
import type { Share } from '../../engine/watch/state/share.ts';
import type { Exchange } from '../../ports/exchange.ts';
import type { WatchClock } from '../../ports/clock.ts';
import type { PastSource, WatchPorts } from '../../engine/watch/state/watch-state.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { WatchStore } from '../../ports/watch-store.ts';

export interface WatchParts {
  readonly store: WatchStore;
  readonly background: Background;
  readonly clock: WatchClock;
  readonly past?: PastSource | undefined;
  /** Both undefined if the watch is alone. */
  readonly share?: Share | undefined;
  readonly exchange?: Exchange | undefined;
}

export function watchPorts(
  { store, ...parts }: WatchParts,
  catalogue: readonly KnownLeak[],
  log: (line: string) => void,
): WatchPorts {
  return {
    ...parts,
    samples: store,
    incidents: store,
    captures: store,
    store,
    random: Math.random,
    scratchFolder: () => scratchFolder('the store'),
    gate: captureGate({ ...GATE_LIMITS, random: Math.random, sleep: seconds => delay(seconds * 1000) }),
    catalogue,
    log,
  };
}
