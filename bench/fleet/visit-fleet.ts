/** One visit of the fleet page in a browser of its own, measured in the page. */
import type { Page } from 'playwright-core';
import { launchChromium } from '../../test/chromium.ts';
import { startPageClock } from '../page-clock.ts';

export interface PageFigures {
  /** From the request of the page. */
  readonly firstPaintMs: number;
  readonly firstRowsMs: number;
  /** From the input of the last letter, with the pause that waits for another one. */
  readonly searchMs: number;
  readonly middleMs: number;
  readonly openCpuMs: number;
  readonly frameCpuMs: number;
}

const FRAMES = 120;

/** Notes when the first row is in the document. */
const NOTE_FIRST_ROW = `
  new MutationObserver((_, observer) => {
    if (document.querySelector('.fleet-body > .fleet-row') === null) return;
    observer.disconnect();
    window.firstRowsMs = performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

/** Types a search into the field, and waits until another number of targets matches. */
const SEARCH = `(async () => {
  const field = document.getElementById('search');
  const matching = document.querySelector('.fleet-matching');
  const began = performance.now();
  field.value = 'worker-0042';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  while (matching.textContent === '') await new Promise(requestAnimationFrame);
  return performance.now() - began;
})()`;

/** Jumps to the middle of the table, and waits until the rows in the middle of the screen are there. */
const MIDDLE = `(async () => {
  const began = performance.now();
  scrollTo(0, document.documentElement.scrollHeight / 2);
  const isRow = () => document.elementsFromPoint(400, innerHeight / 2).some(one => one.closest('[data-row]'));
  await new Promise(requestAnimationFrame);
  while (!isRow()) await new Promise(requestAnimationFrame);
  return performance.now() - began;
})()`;

/** Six thousand pixels in a second, as a fast wheel does. */
const WHEEL = `(async () => {
  for (let i = 0; i < ${FRAMES}; i++) {
    scrollBy(0, 100);
    await new Promise(requestAnimationFrame);
  }
})()`;

export async function visitFleet(url: string): Promise<PageFigures> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const clock = await startPageClock(page, browser);
    await page.addInitScript(NOTE_FIRST_ROW);
    await page.goto(url);
    await page.getByRole('rowheader').first().waitFor();
    const openCpuMs = 1000 * (await clock()).mainThread;
    const firstRowsMs = await number(page, 'window.firstRowsMs');
    const firstPaintMs = await number(page, `performance.getEntriesByName('first-contentful-paint')[0].startTime`);
    const middleMs = await number(page, MIDDLE);
    const before = (await clock()).mainThread;
    await page.evaluate(WHEEL);
    const frameCpuMs = (1000 * ((await clock()).mainThread - before)) / FRAMES;
    const searchMs = await number(page, SEARCH);
    return { firstPaintMs, firstRowsMs, searchMs, middleMs, openCpuMs, frameCpuMs };
  } finally {
    await browser.close();
  }
}

async function number(page: Page, expression: string): Promise<number> {
  return Number(await page.evaluate(expression));
}
