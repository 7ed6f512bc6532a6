/** `oakum top`: one process, live in a terminal or as one frame. */
import { setTimeout as delay } from 'node:timers/promises';
import { inflateBody } from '../../live/io/capture-folder.ts';
import { oneLine } from '../../base/text-layout.ts';
import { createTop, type TakeSample } from '../../live/top/create-top.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import { drawScreen, pageRowsOf, frameText } from '../../live/top/screen.ts';
import type { TopFrame } from '../../live/top/top.ts';
import { FIRST_VIEW, type View, withKey } from '../../live/top/view.ts';
import { renderJson } from '../../report/json.ts';
import type { Style } from '../../report/layout.ts';
import { openTarget, reportUnreachable } from '../connect/open-target.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import {
  CONNECTION_OPTIONS,
  requiredTarget,
  TARGET_FORMS,
  TARGET_OPERANDS,
  targetOptions,
} from '../options/connection.ts';
import { CATALOGUE, COLOR, outputFormat } from '../options/shared.ts';
import type { Terminal } from '../full-screen.ts';
import { fail, type Io, isUtf8, type StopSignal, stopSignal, styleFor } from '../io.ts';
import { DEFAULT_CHOICES } from '../../live/capture/capture-steps.ts';
import { runCapture } from '../../live/capture/run-capture.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { captureFolderName, capturePorts } from '../connect/capture-ports.ts';
import { EXIT } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { duration, flag, wholeNumber } from '../options/kinds.ts';

const line = commandLine({
  name: 'top',
  usage: ['TARGET [options]'],
  examples: [
    ['oakum top http://localhost:6060', 'goroutines, live heap and labels, every 5 seconds'],
    ['oakum top node/worker-17 --interval 15s'],
    ['oakum top unix:///run/kcp/debug.sock --once', 'one frame as text'],
    ['oakum top http://localhost:6060 --once --for 1m -o json', 'with the changes of a minute, for a script'],
  ],
  about: `Shows every family of goroutines with its count, change per minute, ages, wait and cause, the live heap by who holds it, and goroutines by label; the verdict stands on top, as in triage. Keys: ? lists them. It forces no garbage collection and spares large processes.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    interval: duration({ default: '5s', help: 'time between two samples' }),
    once: flag({ help: 'print one frame and end; needs no terminal' }),
    for: duration({ needs: ['once'], help: 'sample this long before the frame, so that changes are known' }),
    output: outputFormat(['text', 'json']),
    rows: wholeNumber(1, 100_000)({ default: '20', help: 'rows of each table with --once' }),
    catalogue: CATALOGUE,
    color: COLOR,
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const options = targetOptions(values, io);
    return {
      ref: requiredTarget(operands, options),
      options,
      everySeconds: values.interval,
      once: values.once || values.output === 'json',
      forSeconds: values.for ?? 0,
      output: values.output,
      rows: values.rows,
      catalogue: values.catalogue,
      color: values.color,
    };
  },
});

export const command: Command = defineCommand(line, top);

type Request = RequestOf<typeof line>;

async function top(request: Request, io: Io): Promise<number> {
  const { ref, options } = request;
  const { terminal } = io;
  if (!request.once && terminal === undefined)
    return fail(io, EXIT.usage, 'top needs a terminal; --once prints one frame without one');
  const catalogue = await catalogueOf(request.catalogue, io);
  const opened = await openTarget(ref, options);
  if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
  const stop = stopSignal();
  let saved = 0;
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
      save: () => saveCapture(opened.connection, ref, ++saved, stop.signal, io),
      stop,
      io,
    });
  } finally {
    stop.release();
  }
}

async function printOnce(takeSample: TakeSample, request: Request, signal: AbortSignal, io: Io): Promise<number> {
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

/** Saves one set of profiles, as `oakum capture` does, and says where. */
async function saveCapture(
  connection: TargetConnection,
  ref: TargetRef,
  count: number,
  signal: AbortSignal,
  io: Io,
): Promise<string> {
  // A folder is named by the minute, and two in one minute are two captures.
  const folder = `${captureFolderName(ref)}${count === 1 ? '' : `-${count}`}`;
  const ports = capturePorts(connection, folder, signal, io);
  const { end, message } = await runCapture({ ...ports, onEvent: () => {} }, { ...DEFAULT_CHOICES, gapSeconds: 0 });
  if (end === 'whole' || end === 'part') return `saved: oakum analyze ${folder}`;
  return `nothing was saved${message === undefined ? '' : `: ${message}`}`;
}

interface Live {
  readonly takeSample: TakeSample;
  readonly terminal: Terminal;
  readonly everySeconds: number;
  readonly style: Style;
  readonly ascii: boolean;
  /** Resolves to what to tell. */
  readonly save: () => Promise<string>;
  readonly stop: StopSignal;
  readonly io: Io;
}

const PACES = [1, 2, 5, 10, 15, 30, 60, 300] as const;

/** The live screen: samples, keys and redraws until the user quits. */
async function showLive(live: Live): Promise<number> {
  const { stop } = live;
  // Before the screen opens, so that a target that does not answer is one line in the shell.
  const first = await live.takeSample();
  if (stop.signal.aborted) return EXIT.interrupted;
  if (first.frame === undefined)
    return fail(live.io, EXIT.couldNotObserve, oneLine(first.problem ?? 'nothing answered'));
  let frame: TopFrame = first.frame;
  let view: View = FIRST_VIEW;
  let message: string | undefined;
  let isSaving = false;
  let { everySeconds } = live;
  let wake = new AbortController();
  stop.signal.addEventListener('abort', () => wake.abort(), { once: true });
  const screen = live.terminal.open({ onKey: press, onRedraw: redraw });

  function redraw(): void {
    screen.draw(drawScreen(frame, view, screen, { style: live.style, ascii: live.ascii, everySeconds, ...said() }));
  }

  function said(): { message?: string } {
    return message === undefined ? {} : { message };
  }

  function press(key: string): void {
    if (key === 'ctrl-c' || (key === 'q' && !view.isTyping)) return stop.stop();
    if (key === 'ctrl-z') return screen.suspend();
    message = undefined;
    if (!view.isTyping && !view.isHelp) {
      if (key === 'w') return void save();
      if (key === '+' || key === '-') everySeconds = pace(everySeconds, key);
    }
    const wasPaused = view.isPaused;
    view = withKey(view, key, frame, pageRowsOf(screen));
    if (wasPaused !== view.isPaused || key === '-') wake.abort();
    redraw();
  }

  async function save(): Promise<void> {
    if (isSaving) return;
    isSaving = true;
    message = 'saving a capture ...';
    redraw();
    message = await live.save();
    isSaving = false;
    if (!stop.signal.aborted) redraw();
  }

  try {
    redraw();
    while (!stop.signal.aborted) {
      wake = new AbortController();
      const { signal } = wake;
      await delay(view.isPaused ? ONE_DAY_MS : everySeconds * 1000, undefined, { signal }).catch(() => {});
      if (stop.signal.aborted || view.isPaused) continue;
      const next = await live.takeSample();
      frame = next.frame ?? frame;
      if (next.problem !== undefined) message = `no answer since ${frame.at.slice(11, 19)}: ${oneLine(next.problem)}`;
      if (!stop.signal.aborted) redraw();
    }
    return EXIT.done;
  } finally {
    screen.close();
  }
}

const ONE_DAY_MS = 86_400_000;

/** The next slower or faster one. */
function pace(seconds: number, key: '+' | '-'): number {
  if (key === '+') return PACES.find(one => one > seconds) ?? seconds;
  return PACES.findLast(one => one < seconds) ?? seconds;
}
