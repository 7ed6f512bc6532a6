/** Pictures of the fleet page, in every width and theme, to look at. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../../test/chromium.ts';
import { until } from '../../test/until.ts';

const WIDTHS = [1440, 768, 390];
/** Rows that are not among the first that are loaded. */
const FAR_DOWN = 300;

export async function takePictures(url: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await launchChromium();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of WIDTHS) {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        const picture = (name: string) =>
          page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
        await page.goto(url);
        await page.getByRole('rowheader').first().waitFor();
        await picture('top');
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
        const first = page.locator('.fleet-body > .fleet-row').first();
        await until(async () => Number(await first.getAttribute('data-row')) > FAR_DOWN);
        await picture('middle');
        await page.goto(`${url}/?q=worker-0042&v=leak,watch,healthy`);
        await page.getByRole('rowheader').first().waitFor();
        await picture('search');
        await page.close();
      }
    }
  } finally {
    await browser.close();
  }
}
