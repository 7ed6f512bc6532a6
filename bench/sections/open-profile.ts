/** The web UI opens a large heap profile: from the address to the drawn flame graph, decompression and all. */
import { readFileSync } from 'node:fs';
import { startUi } from '../../test/browser/ui-server.ts';
import { HAS_CHROMIUM, launchChromium } from '../../test/chromium.ts';
import { startPageClock } from '../page-clock.ts';
import { input } from '../inputs.ts';
import type { Outcome, Section, Setting } from '../section.ts';
import { table, type Cells } from '../table.ts';

const PROFILE = 'heap-800k.pb.gz';
const MAX_SECONDS = 3;

async function run({ runs }: Setting): Promise<Outcome> {
  if (!HAS_CHROMIUM) return { text: 'needs Chromium: set CHROMIUM to its path\n', goals: [] };
  const browser = await launchChromium();
  const bytes = new Uint8Array(readFileSync(input(PROFILE)));
  const size = `${(bytes.length / 1e6).toFixed(1)} MB gz`;
  const ui = await startUi({ '/profiles/made': bytes });
  try {
    const wall: number[] = [];
    const cpu: number[] = [];
    for (let i = 0; i < runs; i++) {
      // A page of its own each time: another one would still have the profile in its worker.
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const clock = await startPageClock(page, browser);
      const before = await clock();
      const startedMs = performance.now();
      await page.goto(`${ui.url}/p/made`);
      await page.locator('.flame-canvas').waitFor({ timeout: 120_000 });
      wall.push((performance.now() - startedMs) / 1000);
      cpu.push((await clock()).browser - before.browser);
      await page.close();
    }
    const [seconds, cpuSeconds] = [median(wall), median(cpu)];
    const row: Cells = [size, `${seconds.toFixed(2)} s`, `${cpuSeconds.toFixed(2)} s`, String(runs)];
    return {
      text: table(['profile', 'from address to graph', 'CPU of the browser', 'runs'], [row]),
      goals: [
        {
          name: `the web UI opens ${size}`,
          wanted: `< ${MAX_SECONDS} s`,
          measured: `${seconds.toFixed(2)} s`,
          met: seconds < MAX_SECONDS,
        },
      ],
    };
  } finally {
    await browser.close();
    ui.close();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

export const openProfile: Section = {
  name: 'open-profile',
  title: 'the web UI in Chromium, a heap profile of 800,000 samples opened, until its flame graph is drawn',
  run,
};
