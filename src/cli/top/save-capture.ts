/** Saves one set of profiles, as `oakum capture` does, and says where. */
import { DEFAULT_CHOICES } from '../../live/capture/capture-steps.ts';
import { runCapture } from '../../live/capture/run-capture.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/target-connection.ts';
import { captureFolderName } from '../connect/capture-folder-name.ts';
import { capturePorts } from '../connect/capture-ports.ts';
import type { Io } from '../terminal/io.ts';

let saved = 0;

export async function saveCapture(
  connection: TargetConnection,
  ref: TargetRef,
  signal: AbortSignal,
  io: Io,
): Promise<string> {
  saved++;
  // A folder is named by the minute, and two in one minute are two captures.
  const folder = `${captureFolderName(ref)}${saved === 1 ? '' : `-${saved}`}`;
  const ports = capturePorts(connection, folder, signal, io);
  const { end, message } = await runCapture({ ...ports, onEvent: () => {} }, { ...DEFAULT_CHOICES, gapSeconds: 0 });
  if (end === 'whole' || end === 'part') return `saved: oakum analyze ${folder}`;
  return `nothing was saved${message === undefined ? '' : `: ${message}`}`;
}
