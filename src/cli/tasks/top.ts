/** `oakum top`: one process, live in a terminal or as one frame. */
import { setTimeout as delay } from 'node:timers/promises';
import { inflateBody } from '../../live/io/stored-body.ts';
import { oneLine } from '../../base/text-layout.ts';
import { createTop, type TakeSample } from '../../live/top/create-top.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import { renderJson } from '../../report/json.ts';
import { frameText } from '../../live/top/frame-text.ts';
import { openTarget, reportUnreachable } from '../connect/open-target.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { ColorChoice } from '../options/shared.ts';
import { type Io, fail, isUtf8, styleFor, stopSignal } from '../terminal/io.ts';
import { showLive } from '../top/show-live.ts';
import { DEFAULT_CHOICES } from '../../live/capture/capture-steps.ts';
import { runCapture } from '../../live/capture/run-capture.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { captureFolderName } from '../connect/capture-folder-name.ts';
import { capturePorts } from '../connect/capture-ports.ts';
import { EXIT } from '../../base/errors.ts';

/** Saves one set of profiles, as `oakum capture` does, and says where. */
let saved = 0;

export interface TopRequest {
  readonly ref: TargetRef;
  readonly options: TargetOptions;
  readonly everySeconds: number;
  readonly once: boolean;
  readonly forSeconds: number;
  readonly output: 'text' | 'json';
  readonly rows: number;
  readonly catalogue: string | undefined;
  readonly color: ColorChoice;
}

export async function top(request: TopRequest, io: Io): Promise<number> {
  const { ref, options } = request;
  const { terminal } = io;
  if (!request.once && terminal === undefined)
    return fail(io, EXIT.usage, 'top needs a terminal; --once prints one frame without one');
  const catalogue = await catalogueOf(request.catalogue, io);
  const opened = await openTarget(ref, options);
  if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
  const stop = stopSignal();
  try {
    const takeSample = createTop({
      connection: opened.connection,
      catalogue,
      now: () => Date.now() / 1000,
      inflate: inflateBody,
      requestTimeoutSeconds: options.requestTimeoutSeconds,
      signal: stop.signal,
    });
    if (request.once || terminal === undefined) return await printOnce(takeSample, request, stop.signal, io);
    return await showLive({
      takeSample,
      terminal,
      everySeconds: request.everySeconds,
      style: styleFor(request.color, io),
      ascii: !isUtf8(io.env),
      save: () => saveCapture(opened.connection, ref, stop.signal, io),
      stop,
      io,
    });
  } finally {
    stop.release();
  }
}

async function printOnce(takeSample: TakeSample, request: TopRequest, signal: AbortSignal, io: Io): Promise<number> {
  const until = Date.now() + request.forSeconds * 1000;
  let { frame, problem } = await takeSample();
  while (frame !== undefined && Date.now() < until && !signal.aborted) {
    const left = Math.min(request.everySeconds * 1000, until - Date.now());
    await delay(left, undefined, { signal }).catch(() => {});
    if (!signal.aborted) ({ frame, problem } = await takeSample());
  }
  if (signal.aborted) return fail(io, EXIT.interrupted, 'stopped');
  if (frame === undefined) return fail(io, EXIT.couldNotObserve, oneLine(problem ?? 'nothing answered'));
  const { stdout } = io;
  const options = { style: styleFor(request.color, io), ascii: !isUtf8(io.env), width: widthOf(io) };
  stdout.write(request.output === 'json' ? renderJson(frame) : frameText(frame, { ...options, rows: request.rows }));
  return EXIT.done;
}

/** For a file or a pipe: wide enough for names. */
function widthOf({ stdout }: Io): number {
  return stdout.isTTY === true ? (stdout.columns ?? 80) : 120;
}

async function saveCapture(connection: TargetConnection, ref: TargetRef, signal: AbortSignal, io: Io): Promise<string> {
  saved++;
  // A folder is named by the minute, and two in one minute are two captures.
  const folder = `${captureFolderName(ref)}${saved === 1 ? '' : `-${saved}`}`;
  const ports = capturePorts(connection, folder, signal, io);
  const { end, message } = await runCapture({ ...ports, onEvent: () => {} }, { ...DEFAULT_CHOICES, gapSeconds: 0 });
  if (end === 'whole' || end === 'part') return `saved: oakum analyze ${folder}`;
  return `nothing was saved${message === undefined ? '' : `: ${message}`}`;
}
