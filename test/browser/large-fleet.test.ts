/** The fleet page with more rows than it loads, on the real server of a watch. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { startServer } from '../../src/watch/server/start.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import { until } from '../until.ts';
import { judgedFleet } from '../watch/judged-fleet.ts';
import type { WatchBench } from '../watch/watch-bench.ts';
import { assertSound, NO_BROWSER, openPage, openUi, type OpenPage } from './browser.ts';
import { madeFleet, madeStatus, served } from './made-fleet.ts';
import { planRoutes } from '../../src/act/io/plan-routes.ts';
import { builtUi } from './ui-server.ts';

const COUNT = 3000;
const ROW_PIXELS = 24;

interface OpenFleet extends OpenPage {
  readonly bench: WatchBench;
  /** What was asked of the fleet so far, as queries. */
  readonly asked: URLSearchParams[];
}

/** Of 3,000 targets, `leaking` leaks. */
async function openFleet(t: TestContext, path: string, leaking = { index: 7 }): Promise<OpenFleet> {
  const say = (index: number): Verdict => (index === leaking.index ? 'leak' : 'healthy');
  const bench = await judgedFleet(COUNT, say);
  const server = await startServer({
    service: bench.watch,
    more: planRoutes({ service: bench.watch }),
    host: 'localhost',
    port: 0,
    webFolder: await builtUi(),
    log: () => {},
  });
  t.after(() => server.stop());
  const opened = await openPage(t, 'about:blank');
  const asked: URLSearchParams[] = [];
  opened.page.on('request', (request: Request) => {
    const url = new URL(request.url());
    if (url.pathname === '/api/v1/fleet') asked.push(url.searchParams);
  });
  await opened.page.goto(`${server.url}${path}`);
  await opened.page.getByRole('rowheader').first().waitFor();
  return { ...opened, bench, asked };
}

interface ShownRow {
  readonly index: number;
  readonly name: string;
}

/** The rows on the screen, from top to bottom. */
function shownRows(page: Page): Promise<ShownRow[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.fleet-body > .fleet-row')]
      .filter(row => {
        const { top, bottom } = row.getBoundingClientRect();
        return bottom > 40 && top < innerHeight - 60;
      })
      .map(row => ({ index: Number(row.dataset['row']), name: row.querySelector('a')?.textContent ?? '' }))
      .sort((a, b) => a.index - b.index),
  );
}

/** Waits until the screen is full of rows, without a gap, with this one among them. */
async function untilShown(page: Page, index: number): Promise<ShownRow[]> {
  let rows: ShownRow[] = [];
  await until(async () => {
    rows = await shownRows(page);
    const isWhole = rows.every((row, i) => row.index === (rows[0]?.index ?? 0) + i);
    return rows.length > 10 && isWhole && rows.some(row => row.index === index);
  });
  return rows;
}

const scrollToRow = (page: Page, index: number): Promise<void> =>
  page.evaluate(y => {
    const body = document.querySelector('.fleet-body') as Element;
    scrollBy(0, body.getBoundingClientRect().top + y - innerHeight / 2);
  }, index * ROW_PIXELS);

describe('a fleet of 3,000', { skip: NO_BROWSER }, () => {
  it('is as high as all its rows, and loads those that are scrolled to', async t => {
    const opened = await openFleet(t, '/');
    const { page, asked, bench } = opened;
    assert.equal(await page.getByRole('table', { name: 'Targets' }).getAttribute('aria-rowcount'), String(COUNT + 1));
    const height = await page.evaluate(() => document.querySelector('.fleet-body')?.getBoundingClientRect().height);
    assert.equal(height, COUNT * ROW_PIXELS);
    const { rows } = await bench.watch.fleet(168);
    for (const index of [1500, 2990, 600, 3]) {
      await scrollToRow(page, index);
      for (const shown of await untilShown(page, index)) assert.equal(shown.name, rows[shown.index].target);
    }
    assert.ok(asked.every(query => Number(query.get('limit')) <= 400));
    assert.ok((await page.getByRole('row').count()) < 150);
    await scrollToRow(page, 1500);
    await untilShown(page, 1500);
    await assertSound(opened);
  });

  it('finds targets that are not loaded, by words and by chips, and the address keeps it', async t => {
    const { page } = await openFleet(t, '/');
    await scrollToRow(page, 2000);
    await untilShown(page, 2000);
    await page.keyboard.press('/');
    await page.keyboard.type('n2718');
    await page.getByText('1 target matches').waitFor();
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), ['node/n2718']);
    await page.waitForURL(/\?q=n2718$/);
    await page.getByLabel('Search nodes').fill('');
    await untilShown(page, 0);
    await page.getByRole('button', { name: /^odd/ }).click();
    await page.getByText('1,500 targets match').waitFor();
    await page.reload();
    await page.getByText('1,500 targets match').waitFor();
    assert.deepEqual(
      (await untilShown(page, 0)).slice(0, 3).map(({ name }) => name),
      ['node/n7', 'node/n1', 'node/n1001'],
    );
  });

  it('begins at the first row in another order', async t => {
    const { page } = await openFleet(t, '/');
    await scrollToRow(page, 2000);
    await untilShown(page, 2000);
    await page.getByRole('columnheader', { name: 'Target' }).getByRole('button').click();
    const [first] = await untilShown(page, 0);
    assert.deepEqual(first, { index: 0, name: 'node/n0' });
  });

  it('goes back to where it was, from a page and from a filter', async t => {
    const { page } = await openFleet(t, '/');
    await scrollToRow(page, 2400);
    const rows = await untilShown(page, 2400);
    const y = await page.evaluate(() => scrollY);
    await page.getByRole('link', { name: rows[5].name, exact: true }).click();
    await page.waitForURL(/\/t\//);
    await page.goBack();
    assert.deepEqual(await untilShown(page, 2400), rows);
    assert.equal(await page.evaluate(() => scrollY), y);
    // A link to some of the targets is another entry of the history.
    await page.evaluate(() => {
      const link = document.createElement('a');
      link.href = '/?is=pool:odd';
      document.body.append(link);
      link.click();
    });
    await page.getByText('1,500 targets match').waitFor();
    await untilShown(page, 0);
    await page.goBack();
    await untilShown(page, 2400);
    assert.equal(await page.evaluate(() => scrollY), y);
  });

  it('moves by keyboard, also from a row that is not loaded any more', async t => {
    const { page } = await openFleet(t, '/');
    const { page: deep } = await openFleet(t, '/?row=node/n7');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.waitForURL(/row=node\/n0$/);
    await scrollToRow(page, 2500);
    await untilShown(page, 2500);
    // It keeps the focus, and the line below says what it is.
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'node/n0');
    assert.match((await page.locator('.fleet-why').textContent()) ?? '', /^node\/n0 /);
    await page.keyboard.press('j');
    await untilShown(page, 2);
    await page.waitForURL(/row=node\/n1$/);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'node/n1');
    assert.equal(await deep.locator('.fleet-active').getAttribute('data-row'), '0');
  });

  it('opens at the row that the address names, however far down', async t => {
    const { page, asked } = await openFleet(t, '/?row=node/n999');
    const rows = await untilShown(page, COUNT - 1);
    assert.equal(rows.at(-1)?.name, 'node/n999');
    assert.equal(asked[0].get('find'), 'node/n999');
    await page.locator('.fleet-active').waitFor();
    await page.keyboard.press('k');
    await page.waitForURL(/row=node\/n998$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/t\/node\/n998$/);
  });

  it('reloads the rows on the screen after an event, and nothing else', async t => {
    const leaking = { index: 7 };
    const { page, asked, bench } = await openFleet(t, '/', leaking);
    await page.keyboard.press('j');
    await scrollToRow(page, 1500);
    await untilShown(page, 1500);
    const y = await page.evaluate(() => scrollY);
    leaking.index = 8;
    const before = asked.length;
    await bench.watch.evaluate(bench.clock.now() + 60);
    await page.getByRole('heading', { name: /first limit in 9h/ }).waitFor();
    // The events of one evaluation share a question if they come together; on a slow machine they may not.
    const questions = asked.slice(before).map(query => `${query.get('offset')} ${query.get('find')}`);
    assert.deepEqual([...new Set(questions)], [`${asked[before - 1].get('offset')} node/n7`]);
    assert.equal(await page.evaluate(() => scrollY), y);
    // The active row is where the target is now: no longer the first.
    assert.match((await page.locator('.fleet-active').textContent()) ?? '', /healthy.*node\/n7/);
    assert.notEqual(await page.locator('.fleet-active').getAttribute('data-row'), '0');
  });
});

describe('a slow server', { skip: NO_BROWSER }, () => {
  it('answers in any order: the last question wins, and the page keeps what it has meanwhile', async t => {
    const answer = served(madeFleet(400));
    let release = (): void => undefined;
    const held = new Promise<void>(done => (release = done));
    const fleet = async (url: URL): Promise<unknown> => {
      if (url.searchParams.get('search') === 'worker-1') await held;
      return answer(url);
    };
    const { page } = await openUi(t, { answers: { '/status': madeStatus(), '/fleet': fleet }, path: '/' });
    await page.getByRole('rowheader').first().waitFor();
    await page.getByLabel('Search nodes').fill('worker-1');
    await page.waitForURL(/q=worker-1$/);
    assert.equal(await page.getByRole('table', { name: 'Targets' }).getAttribute('aria-rowcount'), '401');
    await page.getByLabel('Search nodes').fill('worker-12');
    await page.getByText('10 targets match').waitFor();
    release();
    await page.getByLabel('Search nodes').fill('worker-123');
    await page.getByText('1 target matches').waitFor();
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), ['node/worker-123']);
  });
});
