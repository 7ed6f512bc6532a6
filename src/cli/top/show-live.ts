/** The live screen of `oakum top`: samples, keys and redraws until the user quits. */
import { setTimeout as delay } from 'node:timers/promises';
import { oneLine } from '../../base/text-layout.ts';
import type { TakeSample } from '../../live/top/create-top.ts';
import type { TopFrame } from '../../live/top/top.ts';
import { drawScreen, pageRowsOf } from '../../live/top/screen.ts';
import { FIRST_VIEW, type View, withKey } from '../../live/top/view.ts';
import type { Terminal } from '../terminal/full-screen.ts';
import { type Io, fail, type StopSignal } from '../terminal/io.ts';
import { EXIT } from '../../base/errors.ts';
import type { Style } from '../../report/layout.ts';

export interface Live {
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

export async function showLive(live: Live): Promise<number> {
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
