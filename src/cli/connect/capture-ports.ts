/** The ports of a capture: its folder, the clock, and the limits on concurrent requests. */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import { captureFolder } from '../../live/io/capture-folder.ts';
import { captureGate, GATE_LIMITS } from '../../live/capture/capture-gate.ts';
import type { CapturePorts } from '../../live/capture/run-capture.ts';
import type { TargetConnection } from '../../live/ports.ts';
import type { Io } from '../io.ts';
import { packageVersion } from '../package-files.ts';

/** `folder` is the path as the user gave it. */
export function capturePorts(
  connection: TargetConnection,
  folder: string,
  signal: AbortSignal,
  io: Io,
): Omit<CapturePorts, 'onEvent'> {
  return {
    connection,
    folder: captureFolder(resolve(io.cwd, folder), folder),
    gate: captureGate({ ...GATE_LIMITS, random: Math.random, sleep: seconds => delay(seconds * 1000) }),
    oakumVersion: packageVersion(),
    now: () => Date.now() / 1000,
    sleep: (seconds, stop) => delay(seconds * 1000, undefined, { signal: stop }).catch(() => {}),
    signal,
  };
}

/** The default folder of a capture: `oakum-worker-17-20261115T2354Z`. */
export function captureFolderName(ref: TargetRef, now: Date = new Date()): string {
  const name = targetText(ref)
    .replace(/^(?:node|pod|unix|https?)[:/]+/, '')
    .replace(/[^a-zA-Z0-9.]+/g, '-');
  const time = now.toISOString().replace(/[-:]/g, '').slice(0, 13);
  return `oakum-${name.replace(/^-|-$/g, '')}-${time}Z`;
}
