/** The web UI's flame graph in a real browser: frames per second while it is zoomed and panned by hand. */
import type { Page } from 'playwright-core';
import { startUi } from '../../test/browser/ui-server.ts';
import { HAS_CHROMIUM, launchChromium } from '../../test/chromium.ts';
import { startPageClock, type PageTimes } from '../page-clock.ts';
import { makeFolded } from '../make-folded.ts';
import type { Outcome, Section, Setting } from '../section.ts';
import { table, type Cells } from '../table.ts';

const NODES = 100_000;
const FRAMES = 240;
/** A frame of a 60 Hz screen, and half of one for the timer's own jitter. */
const LATE_MS = 25;

/** Runs in the page: turns the wheel once per frame and records when frames come and how long their work took. */
const TURN_WHEEL = (turn: string): string => `new Promise(done => {
  const canvas = document.querySelector('.flame-canvas');
  const { left, top, width } = canvas.getBoundingClientRect();
  const intervals = [];
  let last, i = 0;
  const step = now => {
    if (last !== undefined) intervals.push(now - last);
    last = now;
    if (intervals.length >= ${FRAMES}) return done(intervals);
    const place = { clientX: left + width * 0.37, clientY: top + 60, bubbles: true, cancelable: true };
    canvas.dispatchEvent(new WheelEvent('wheel', { ...place, ${turn} }));
    i++;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const GESTURES: readonly (readonly [name: string, turn: string])[] = [
  ['zoom in and out', `ctrlKey: true, deltaY: i % 120 < 60 ? -25 : 25`],
  ['pan, zoomed to a tenth', `deltaX: i % 120 < 60 ? 12 : -12, deltaY: 0`],
];

async function run({ quick }: Setting): Promise<Outcome> {
  if (!HAS_CHROMIUM) return { text: 'needs Chromium: set CHROMIUM to its path\n', goals: [] };
  const browser = await launchChromium();
  const folded = new TextEncoder().encode(makeFolded(NODES));
  const ui = await startUi({ '/profiles/made': folded });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const cpuSeconds = await startPageClock(page, browser);
    const startedMs = performance.now();
    await page.goto(`${ui.url}/p/made?table=top`);
    await page.locator('.flame-canvas').waitFor();
    const openMs = performance.now() - startedMs;
    const rows: Cells[] = [];
    let slowest = 0;
    let busiest = 0;
    for (const [name, turn] of quick ? GESTURES.slice(0, 1) : GESTURES) {
      if (name.startsWith('pan')) await zoomIn(page);
      const before = await cpuSeconds();
      const intervals = (await page.evaluate(TURN_WHEEL(turn))) as number[];
      const after = await cpuSeconds();
      const perFrame = (of: keyof PageTimes): number => (1000 * (after[of] - before[of])) / intervals.length;
      const { fps, p99, late } = describe(intervals);
      slowest = slowest === 0 ? fps : Math.min(slowest, fps);
      busiest = Math.max(busiest, perFrame('mainThread'));
      rows.push([
        name,
        `${perFrame('mainThread').toFixed(1)} ms`,
        `${perFrame('browser').toFixed(1)} ms`,
        fps.toFixed(1),
        `${p99.toFixed(1)} ms`,
        `${late} of ${intervals.length}`,
      ]);
    }
    const opened = `Opened, read and drawn ${(openMs / 1000).toFixed(2)} s after the address was entered (${(folded.length / 1e6).toFixed(0)} MB).\n`;
    const measured = `${busiest.toFixed(1)} ms on the main thread, ${slowest.toFixed(1)} fps`;
    return {
      text: `${table(['gesture', 'CPU per frame, main thread', 'all processes', 'frames per second', 'p99 between frames', `later than ${LATE_MS} ms`], rows)}\n${opened}`,
      goals: [
        {
          name: 'flame graph of 100,000 nodes',
          wanted: '60 fps: at most 16.7 ms per frame',
          measured,
          met: slowest >= 58,
        },
      ],
    };
  } finally {
    await browser.close();
    ui.close();
  }
}

async function zoomIn(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const canvas = document.querySelector('.flame-canvas');
    const { left, top } = canvas.getBoundingClientRect();
    for (let i = 0; i < 6; i++) {
      const place = { clientX: left + 300, clientY: top + 60, bubbles: true, cancelable: true };
      canvas.dispatchEvent(new WheelEvent('wheel', { ...place, ctrlKey: true, deltaY: -100 }));
      await new Promise(requestAnimationFrame);
    }
  })()`);
}

function describe(intervals: readonly number[]): { fps: number; p99: number; late: number } {
  const sorted = [...intervals].sort((a, b) => a - b);
  const mean = intervals.reduce((sum, ms) => sum + ms, 0) / intervals.length;
  return {
    fps: 1000 / mean,
    p99: sorted[Math.floor(sorted.length * 0.99)],
    late: intervals.filter(ms => ms > LATE_MS).length,
  };
}

export const flameGraph: Section = {
  name: 'flame-graph',
  title: 'the web UI in Chromium, a flame graph of 100,000 nodes zoomed and panned, one turn of the wheel per frame',
  run,
};
