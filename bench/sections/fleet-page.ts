/** The fleet page of the web UI in a real browser, with 5,000 targets: opened, and scrolled by a fast wheel. */
import type { Page } from 'playwright-core';
import { madeFleet, madeStatus, served } from '../../test/browser/made-fleet.ts';
import { startUi } from '../../test/browser/ui-server.ts';
import { HAS_CHROMIUM, launchChromium } from '../../test/chromium.ts';
import { startPageClock } from '../page-clock.ts';
import type { Outcome, Section, Setting } from '../section.ts';
import { spreadOf, type Spread } from '../statistics.ts';
import { table } from '../table.ts';

const TARGETS = 5000;
const FRAMES = 120;
const OPEN_GOAL_MS = 1000;
const FRAME_GOAL_MS = 16;

/** Six thousand pixels in a second, as a fast wheel does. */
const SCROLL = `(async () => {
  for (let i = 0; i < ${FRAMES}; i++) {
    scrollBy(0, 100);
    await new Promise(requestAnimationFrame);
  }
})()`;

interface Visit {
  /** CPU of the page's main thread from the click on the link to the table. */
  readonly openMs: number;
  /** From the request of the page to the first text on the screen. */
  readonly paintMs: number;
  /** CPU of the page's main thread for each frame while scrolling. */
  readonly frameMs: number;
}

async function run({ runs }: Setting): Promise<Outcome> {
  if (!HAS_CHROMIUM) return { text: 'needs Chromium: set CHROMIUM to its path\n', goals: [] };
  const browser = await launchChromium();
  const ui = await startUi({ '/status': madeStatus({ targetCount: TARGETS }), '/fleet': served(madeFleet(TARGETS)) });
  try {
    const visits: Visit[] = [];
    for (let i = 0; i < runs; i++) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const clock = await startPageClock(page, browser);
      visits.push(await visit(page, ui.url, async () => 1000 * (await clock()).mainThread));
      await page.close();
    }
    const open = spreadOf(visits.map(({ openMs }) => openMs));
    const frame = spreadOf(visits.map(({ frameMs }) => frameMs));
    const goal = (name: string, spread: Spread, wantedMs: number): Outcome['goals'][number] => ({
      name: `fleet of 5,000: ${name}`,
      wanted: `<= ${wantedMs} ms`,
      measured: ms(spread.median),
      met: spread.median <= wantedMs,
    });
    return {
      text: table(
        ['what', 'median', 'least', 'most'],
        [
          row('opened, CPU of the main thread', open),
          row('reloaded, until the first paint', spreadOf(visits.map(({ paintMs }) => paintMs))),
          row('scrolled, CPU of the main thread per frame', frame),
        ],
      ),
      goals: [
        goal('opened, CPU', open, OPEN_GOAL_MS),
        goal('scrolled, CPU per frame of a 60 Hz screen', frame, FRAME_GOAL_MS),
      ],
    };
  } finally {
    await browser.close();
    ui.close();
  }
}

async function visit(page: Page, url: string, clockMs: () => Promise<number>): Promise<Visit> {
  await page.goto(`${url}/nowhere`);
  const link = page.getByRole('link', { name: 'Go to the fleet' });
  await link.waitFor();
  const before = await clockMs();
  await link.click();
  await page.getByRole('table').waitFor();
  const openMs = (await clockMs()) - before;
  await page.reload();
  await page.getByRole('table').waitFor();
  const paintMs = Number(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
  const beforeScroll = await clockMs();
  await page.evaluate(SCROLL);
  return { openMs, paintMs, frameMs: ((await clockMs()) - beforeScroll) / FRAMES };
}

function row(what: string, { median, least, most }: Spread): string[] {
  return [what, ms(median), ms(least), ms(most)];
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export const fleetPage: Section = {
  name: 'fleet-page',
  title: 'the web UI in Chromium, the fleet page with 5,000 targets opened and scrolled',
  run,
};
