/** The clock for pages that are measured in a browser. */
import type { Browser, Page } from 'playwright-core';

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
