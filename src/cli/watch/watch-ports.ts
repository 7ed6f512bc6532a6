/** The ports of a watch, put together from the adapters. */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { captureGate, GATE_LIMITS } from '../../engine/capture/capture-gate.ts';
import type { Background } from '../../ports/background.ts';
import type { WatchClock } from '../../ports/clock.ts';
import type { WatchPorts } from '../../engine/watch/state/watch-state.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { WatchStore } from '../../ports/watch-store.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export const REAL_CLOCK: WatchClock = {
  now: () => Date.now() / 1000,
  sleep: (seconds, signal) => delay(seconds * 1000, undefined, { signal }).catch(() => {}),
};

export function watchPorts(
  { store, ...parts }: { readonly store: WatchStore; readonly background: Background; readonly clock: WatchClock },
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
    compression: {
      gzip: bytes => compress(bytes),
      gunzip: (bytes, maxOutputLength) => decompress(bytes, { maxOutputLength }).catch(() => undefined),
    },
    gate: captureGate({ ...GATE_LIMITS, random: Math.random, sleep: seconds => delay(seconds * 1000) }),
    catalogue,
    log,
  };
}
