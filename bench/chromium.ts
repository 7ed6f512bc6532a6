/** A browser to measure pages in, and the clock for it. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Undefined if there is none. */
export async function launchChromium(): Promise<Browser | undefined> {
  if (!existsSync(CHROMIUM)) return undefined;
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
}

export interface PageTimes {
  /** CPU seconds of the page's main thread, and of all of the browser's processes. */
  readonly mainThread: number;
  readonly browser: number;
}

/** CPU time, which a busy machine does not inflate as it does the time between frames. */
export async function startPageClock(page: Page, browser: Browser): Promise<() => Promise<PageTimes>> {
  const ofPage = await page.context().newCDPSession(page);
  await ofPage.send('Performance.enable', { timeDomain: 'threadTicks' });
  const ofBrowser = await browser.newBrowserCDPSession();
  return async () => {
    const { metrics } = await ofPage.send('Performance.getMetrics');
    const { processInfo } = await ofBrowser.send('SystemInfo.getProcessInfo');
    return {
      mainThread: metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN,
      browser: processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
    };
  };
}
