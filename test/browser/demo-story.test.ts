/**
 * The whole story of `oakum watch --demo`, as seen by someone who opens the page at its beginning and never reloads it.
 * One page stays on the fleet; another goes where the story leads. The test moves the clock, so a slow machine sees the
 * same story. A second test runs the command itself in real time for a short while.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Locator, Page, Response } from 'playwright-core';
import { planRoutes } from '../../src/act/io/plan-routes.ts';
import { startServer } from '../../src/watch/server/start.ts';
import { startSteppedDemo, type SteppedDemo } from '../watch/stepped-demo.ts';
import { assertSoundInBothThemes, NO_BROWSER, openPage } from './browser.ts';
import { startDemoServer } from './demo-server.ts';
import { builtUi } from './ui-server.ts';

const NODES = ['fix-a', 'fix-b', 'fix-d', 'fix-e', 'leak-a', 'leak-b', 'leak-d'].map(name => `node/${name}`);
/** The page redraws after each step. What comes and goes within one is in the log. */
const STEP_MINUTES = 1;
const END_MINUTES = 34;
/** Seven kubelets appear after 2.5 minutes, and have verdicts after 6. */
const SMOKE_PACE = 120;

describe('the demo', { skip: NO_BROWSER }, () => {
  it('tells its story in the browser', async t => {
    const demo = await startSteppedDemo();
    t.after(() => demo.stop());
    const logged: string[] = [];
    const server = await startServer({
      service: demo.watch,
      more: planRoutes({ service: demo.watch }),
      host: 'localhost',
      port: 0,
      webFolder: await builtUi(),
      log: line => logged.push(line),
    });
    t.after(() => server.stop());
    const fleet = await openPage(t, server.url);
    const visitor = await openPage(t, `${server.url}/i`);
    const { page } = visitor;
    const refused: string[] = [];
    for (const one of [fleet.page, page]) one.on('response', answer => noteRefusal(answer, refused));
    const verdicts = await verdictsTold(fleet.page);
    /** Lets time pass until the engine knows, and the page shows it. */
    const runUntil = async (isKnown: () => boolean): Promise<void> => {
      while (!isKnown()) {
        assert.ok(demo.minute() < END_MINUTES, `the recording ended before ${isKnown.toString()}`);
        await demo.runToMinute(demo.minute() + STEP_MINUTES);
        await untilShown(fleet.page, demo);
      }
    };
    const verdictOf = (target: string): string | undefined => demo.watch.fleetRows([target], 168)[0]?.verdict;
    const isLogged = (line: RegExp): boolean => demo.log.some(logged => line.test(logged));

    await t.test('has no incident before anything grows', async () => {
      await page.getByRole('heading', { name: 'No incidents so far.' }).waitFor();
    });

    await t.test('begins with seven kubelets', async () => {
      await runUntil(() => demo.watch.fleetRows(NODES, 168).length === NODES.length);
      assert.deepEqual((await fleet.page.locator('.fleet-target a').allTextContents()).sort(), NODES);
      await fleet.page.getByText(/demo, 14× faster/).waitFor();
      await assertSoundInBothThemes(fleet);
    });

    await t.test('suspects leak-a, captures it at once and calls it a leak, without a reload', async () => {
      const verdict = fleet.page
        .locator('.fleet-body > .fleet-row', { hasText: 'node/leak-a' })
        .locator('.verdict-word');
      await runUntil(() => verdictOf('node/leak-a') === 'leak');
      assert.equal(await verdict.textContent(), 'leak');
      await page.getByRole('heading', { name: /open incident/ }).waitFor();
      const incident = demo.watch.incidents().find(({ target }) => target === 'node/leak-a');
      const kinds = (await demo.watch.incident(incident?.id ?? ''))?.timeline.map(({ kind }) => kind) ?? [];
      const [watch, capture, leak] = (['watch', 'capture', 'leak'] as const).map(kind => kinds.indexOf(kind));
      assert.ok(watch >= 0 && watch < capture && capture < leak, kinds.join(', '));
      const row = fleet.page.getByRole('row', { name: /node\/leak-a/ });
      await row.getByText('kubernetes#139823, fixed in 1.36.3, 1.37.0').waitFor();
      await fleet.page.getByText(/^goroutines follow pods: 8 → \d+$/).waitFor();
      await fleet.page.getByRole('heading', { level: 1, name: /of 7 targets leaks?, (?:all )?on v1\.36\.0/ }).waitFor();
    });

    await t.test('shows how leak-a grows, and when it reaches its limit', async () => {
      await page.goto(`${server.url}/t/node/leak-a`);
      await page.getByRole('heading', { level: 1, name: /live heap grows .* limit in /i }).waitFor();
      await page.locator('.time-chart canvas').first().waitFor();
      const titles = await page.locator('.charts > .time-chart strong').allTextContents();
      assert.deepEqual(titles, ['Live heap', 'Resident memory', 'Goroutines', 'Pods', 'PLEG age']);
      await page.getByRole('button', { name: /^Capture .*first of life/ }).waitFor();
      await page
        .getByRole('button', { name: /^Capture .*slope/ })
        .first()
        .waitFor();
      await assertSoundInBothThemes(visitor);
    });

    await t.test('sees leak-b restart and come back', async () => {
      await runUntil(() => isLogged(/node\/leak-b after the restart: came back, intrinsic/));
      await page.goto(`${server.url}/i`);
      await page
        .getByRole('row', { name: /node\/leak-b/ })
        .getByRole('link', { name: /Evidence|leak/i })
        .last()
        .click();
      await page.getByText('What happened, step by step').click();
      const story = page.getByRole('region', { name: 'What happened' });
      await story.locator('li', { hasText: 'restarted' }).first().waitFor();
      // Also in the folded story above the page.
      await page.getByText('came back, intrinsic').filter({ visible: true }).first().waitFor();
      await page.getByRole('heading', { level: 1, name: /It came back after the restart/ }).waitFor();
    });

    await t.test('names the leak, what to do, and the version with the fix', async () => {
      await runUntil(() => isLogged(/node\/leak-b confirmed as kubernetes#139823/));
      await page
        .getByRole('heading', { level: 1, name: /^leak Known leak kubernetes#139823, fixed in 1\.36\.3/ })
        .waitFor();
      const aside = page.getByRole('complementary', { name: 'What to do' });
      await aside.getByRole('link', { name: 'kubernetes#139823' }).first().waitFor();
      await aside
        .getByText(/this version is affected; fixed in 1\.36\.3/)
        .first()
        .waitFor();
      await aside
        .getByText(/upgrade to 1\.36\.3/i)
        .first()
        .waitFor();
      await assertSoundInBothThemes(visitor);
    });

    await t.test('offers the evidence and a report', async () => {
      const bundle = await downloaded(page, page.getByRole('link', { name: 'Evidence bundle' }));
      assert.deepEqual([...bundle.subarray(0, 2)], [0x1f, 0x8b]);
      const report = await downloaded(page, page.getByRole('link', { name: 'Report for the project' }));
      assert.match(report.toString(), /kubernetes#139823/);
    });

    await t.test('compares two captures of leak-a: contexts grew', async () => {
      const ramps = (): string[] => demo.log.filter(line => /node\/leak-a evidence taken \(heap ramp/.test(line));
      await runUntil(() => ramps().length >= 2);
      await page.goto(`${server.url}/t/node/leak-a`);
      const dots = page.locator('.dot');
      await dots.first().click();
      await dots.last().click();
      await page.getByRole('link', { name: /Compare heap/ }).waitFor();
      await page.keyboard.press('c');
      await page.waitForURL(/\/compare\?a=\w{64}&b=\w{64}/);
      const top = page.getByRole('grid', { name: 'Growth by family' }).locator('tbody [role=row]').first();
      assert.match((await top.textContent()) ?? '', /^\+.*kubernetes#139823.*Context/);
      assert.match((await page.locator('h1.answer').textContent()) ?? '', /^\+.* of the growth/);
      await assertSoundInBothThemes(visitor);
    });

    await t.test('opens one of them', async () => {
      const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).locator('ol a');
      await crumbs.filter({ hasText: 'live heap incident' }).waitFor();
      assert.deepEqual(await crumbs.allTextContents(), ['Fleet', 'node/leak-a', 'live heap incident', 'Compare']);
      const facts = (await page.locator('.profile-facts').textContent()) ?? '';
      assert.match(
        facts,
        /^node\/leak-aheap profile at [\d:]+ \(first of life\)→heap profile at [\d:]+ \(heap ramp\)[\d.]+ min apart/,
      );
      // Other captures can be chosen here, too.
      const dots = page.locator('.dot');
      const before = page.url();
      await dots.nth(1).click();
      await page.waitForURL(url => url.href !== before);
      await page
        .getByRole('link', { name: /^heap profile at / })
        .last()
        .click();
      await page.waitForURL(/\/p\/\w{64}$/);
      await page.getByRole('link', { name: 'heap profile', exact: true }).waitFor();
      await page.locator('.flame-canvas').waitFor();
      await page.getByRole('tab', { name: 'Families' }).waitFor();
      await assertSoundInBothThemes(visitor);
    });

    await t.test('lists the affected nodes in the catalogue', async () => {
      await page.goto(`${server.url}/catalogue`);
      await page.getByRole('heading', { level: 1, name: /known leaks, 1 matches this fleet/ }).waitFor();
      const targets = page.locator('.known').first().locator('.known-targets a');
      assert.deepEqual(await targets.allTextContents(), ['node/leak-a', 'node/leak-b']);
      await assertSoundInBothThemes(visitor);
    });

    await t.test('ends as announced, and never called a healthy node a leak', async () => {
      await runUntil(() => demo.minute() >= END_MINUTES);
      await demo.runToEnd();
      await untilShown(fleet.page, demo);
      const strip = fleet.page.getByRole('region', { name: 'The story so far' });
      await strip.getByRole('status').getByText('The recording is over. 2 of 7 targets leak').waitFor();
      await strip.getByText(/^\d+ events/).click();
      // The page tells what the log told, in its order.
      const told = (await strip.locator('li').allTextContents()).map(text => text.replace(/^[\d:]+ +/, ''));
      assert.deepEqual(
        told,
        demo.log.map(line => line.replace(/^[\d:]+ /, '')),
      );
      await strip.getByRole('link', { name: 'See the proof on one page' }).waitFor();
      const seen = await verdicts();
      const ofNode = (name: string): string[] =>
        seen.filter(one => one.startsWith(`${name} `)).map(one => one.split(' ')[1]);
      for (const healthy of NODES.filter(name => name.startsWith('node/fix') || name === 'node/leak-d')) {
        assert.ok(!ofNode(healthy).includes('leak'), healthy);
        assert.ok(!isLogged(new RegExp(`${healthy} (?:leak|watch)`)), healthy);
      }
      for (const leaking of ['node/leak-a', 'node/leak-b']) {
        const ofLeaking = ofNode(leaking);
        assert.equal(ofLeaking.at(-1), 'leak', `${leaking}: ${ofLeaking.join(', ')}`);
      }
      await assertSoundInBothThemes(fleet);
      assert.deepEqual(refused, []);
      assert.deepEqual(logged, []);
    });
  });

  it('plays in real time when the command is run, and stops on Ctrl-C', async t => {
    const demo = await startDemoServer(SMOKE_PACE);
    t.after(() => demo.stop());
    const { page, problems } = await openPage(t, demo.url);
    await page.waitForFunction(
      count => document.querySelectorAll('.fleet-body > .fleet-row').length === count,
      NODES.length,
    );
    await page.getByText(`demo, ${SMOKE_PACE}× faster`).waitFor();
    // A verdict other than unknown comes from the thread of the detector.
    await page.locator('.fleet-row .verdict-word:not(.verdict-unknown)').first().waitFor();
    assert.deepEqual(problems, []);
    assert.equal(await demo.stop(), 0);
  });
});

function noteRefusal(answer: Response, refused: string[]): void {
  if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
}

/** Waits until the page shows every target and its verdict. */
async function untilShown(page: Page, { watch }: SteppedDemo): Promise<void> {
  const { rows } = await watch.fleet(168);
  const wanted = rows.map(({ target, verdict }) => `${target} ${verdict}`).sort();
  await page.waitForFunction(
    all =>
      [...document.querySelectorAll('.fleet-body > .fleet-row')]
        .map(
          row =>
            `${row.querySelector('.fleet-target a')?.textContent} ${row.querySelector('.verdict-word')?.textContent?.trim()}`,
        )
        .sort()
        .join() === all,
    wanted.join(),
  );
}

/** Records every verdict change that the page shows from now on, as `node/leak-a watch`; a reload would lose it. */
async function verdictsTold(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const told: string[] = [];
    const last = new Map<string, string>();
    // A single function without a name: the helper that the compiler adds for names does not exist in the page.
    new MutationObserver(() => {
      for (const row of document.querySelectorAll('.fleet-body > .fleet-row')) {
        const name = row.querySelector('.fleet-target a')?.textContent ?? '';
        const verdict = row.querySelector('.verdict-word')?.textContent?.trim() ?? '';
        if (last.get(name) === verdict) continue;
        last.set(name, verdict);
        told.push(`${name} ${verdict}`);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { told });
  });
  return () => page.evaluate(() => (window as unknown as { told: string[] }).told);
}

async function downloaded(page: Page, link: Locator): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  return readFile(await download.path());
}
