import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { assertSoundInEveryLook, NO_BROWSER, openUi, violations } from './browser.ts';
import { madeFleet, madeStatus, NOW, served } from './made-fleet.ts';
import { madeTarget, TARGET } from './made-target.ts';

const answers = { '/status': madeStatus(), '/fleet': served(madeFleet()), [`/targets/${TARGET}`]: madeTarget() };

/** Waits until so many rows are in the document. */
const rowCount = (page: Page, count: number): Promise<void> =>
  until(async () => (await page.getByRole('rowheader').count()) === count);

describe('fleet', { skip: NO_BROWSER }, () => {
  it('shows which targets leak, in every look', async t => {
    const opened = await openUi(t, { answers, path: '/' });
    assert.equal(await opened.page.getByRole('heading', { level: 1 }).textContent(), madeFleet().sentence);
    await assertSoundInEveryLook(opened);
  });

  it('is a table to a screen reader, with the heat map as text', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    const table = page.getByRole('table', { name: 'Targets' });
    assert.equal(await table.getAttribute('aria-rowcount'), '25');
    const row = page.getByRole('row', { name: /node\/worker-01/ });
    assert.equal(await row.getAttribute('aria-rowindex'), '2');
    const cells = await row.getByRole('cell').allTextContents();
    assert.ok(cells.includes('15h–1d2h'), cells.join(' | '));
    assert.ok(cells.includes('kubernetes#139823, fixed in 1.36.3'), cells.join(' | '));
    await page.getByText('goroutines follow pods: 8 → 82').first().waitFor();
    await page.getByText('no answer: connection refused since Thu 12:00').waitFor();
    const cohort = page.getByRole('button', { name: /^v1\.36\.0 3 of \d+ leak/ });
    assert.equal(await cohort.locator('.share-leak').count(), 1);
    assert.match(cells.at(-1) ?? '', /^healthy 2d4h, watch 17h, leak 4d2h$/);
  });

  it('paints the heat map on the rows it belongs to', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    await page.locator('canvas.heat-map').waitFor();
    // The last bin is a leak in the first row, and empty in the last row.
    const painted = await page.evaluate(() => {
      const canvas = document.querySelector('canvas.heat-map') as HTMLCanvasElement;
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      const [leak, healthy, nothing] = [0, 8, 23].map(row =>
        Array.from(context.getImageData(canvas.width - 4, row * 24 + 8, 1, 1).data),
      );
      const first = (document.querySelector('[data-row="0"]') as Element).getBoundingClientRect();
      return { leak, healthy, nothing, offset: canvas.getBoundingClientRect().top - first.top };
    });
    assert.deepEqual(painted, { leak: [191, 58, 10, 255], healthy: [0, 0, 0, 0], nothing: [0, 0, 0, 0], offset: 0 });
  });

  it('moves with j and k, opens with Enter, returns to the row with Escape', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    await page.getByRole('table').waitFor();
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    await page.waitForURL(/row=node\/worker-01/);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'node/worker-01');
    assert.match((await page.locator('.fleet-why').textContent()) ?? '', /while pods and churn are flat/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/t\/node\/worker-01$/);
    await page.getByRole('heading', { name: /since Tue 04:00/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/\?row=node\/worker-01/);
    await page.locator('.fleet-active').waitFor();
  });

  it('opens a target in the same time range', async t => {
    const { page } = await openUi(t, { answers, path: '/?hours=24' });
    await page.getByRole('link', { name: 'node/worker-01' }).click();
    await page.waitForURL(/\/t\/node\/worker-01\?hours=24$/);
    await page.getByRole('navigation').getByRole('link', { name: 'Fleet' }).click();
    await page.waitForURL(/\/\?hours=24$/);
  });

  it('filters by words, verdicts and cohorts, which the address keeps', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    await page.getByRole('button', { name: 'leak 3', exact: true }).click();
    await rowCount(page, 3);
    await page.getByRole('button', { name: /^leak 3/, pressed: true }).click();
    await page.getByLabel('Cohorts by').selectOption('pool');
    await page.getByRole('button', { name: /^batch/ }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('v1.36.0');
    await page.waitForURL('**/?by=pool&is=pool:batch&q=v1.36.0');
    const names = ['node/worker-01', 'node/worker-05'];
    await rowCount(page, 2);
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), names);
    await page.getByText('2 targets match').waitFor();
    await page.reload();
    await rowCount(page, 2);
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), names);
    await page.getByLabel('Search nodes').fill('nobody');
    await page.getByRole('button', { name: 'Show all' }).click();
    await rowCount(page, 24);
  });

  it('keeps few of 5,000 rows in the document, and scrolls without a gap', async t => {
    const { page } = await openUi(t, { answers: { ...answers, '/fleet': served(madeFleet(5000)) }, path: '/' });
    await page.getByRole('table').waitFor();
    assert.ok((await page.getByRole('row').count()) < 150);
    const isFilled = await page.evaluate(async () => {
      for (let i = 0; i < 120; i++) {
        // Six thousand pixels in a second, as a fast wheel does.
        scrollBy(0, 100);
        await new Promise(requestAnimationFrame);
      }
      return document.elementsFromPoint(200, innerHeight / 2).some(element => element.closest('[data-row]'));
    });
    assert.ok(isFilled, 'rows in the middle of the screen after scrolling');
  });

  it('shows updates without losing the position', async t => {
    const { page, ui } = await openUi(t, { answers: { ...answers, '/fleet': served(madeFleet(400)) }, path: '/' });
    await page.getByRole('table').waitFor();
    await page.evaluate(() => scrollTo(0, 4000));
    const before = await page.evaluate(() => scrollY);
    ui.answers['/fleet'] = served({ ...madeFleet(400), sentence: '6 of 400 nodes leak.' });
    ui.send({ kind: 'fleet', at: NOW + 60 });
    await page.getByRole('heading', { name: '6 of 400 nodes leak.' }).waitFor();
    assert.equal(await page.evaluate(() => scrollY), before);
    // The way back from a page leads to the same place.
    await page.evaluate(() => document.querySelector<HTMLElement>('.fleet-target a[href*="worker-1"]')?.click());
    await page.waitForURL(/\/t\/node\/worker-/);
    await page.goBack();
    await page.waitForFunction(y => Math.abs(scrollY - y) < 2, before);
  });

  it('says what to do on the first run, and that samples are coming', async t => {
    // Oakum watches itself; that is not what a user watches.
    const self = { ...madeFleet(3).rows[2], target: 'oakum' };
    const nothing = { ...madeFleet(3), rows: [self], counts: { leak: 0, watch: 0, healthy: 0, unknown: 0 } };
    const first = await openUi(t, {
      answers: { '/status': madeStatus({ targetCount: 0 }), '/fleet': served(nothing) },
      path: '/',
    });
    await first.page.getByRole('heading', { name: 'Nothing is watched yet.' }).waitFor();
    assert.equal(await first.page.locator('.first-run > li').count(), 3);
    assert.deepEqual(await violations(first.page), []);
    const waiting = await openUi(t, { answers: { '/status': madeStatus(), '/fleet': served(nothing) }, path: '/' });
    await waiting.page.getByRole('heading', { name: 'Waiting for the first samples from 24 targets.' }).waitFor();
  });
});
