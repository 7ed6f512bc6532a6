import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSoundInEveryLook, NO_BROWSER, openUi, unfold, violations } from './browser.ts';
import { until } from '../until.ts';
import { madeStatus, NOW } from './made-fleet.ts';
import { CAPTURES, madeTarget, TARGET } from './made-target.ts';
import { Failure } from './ui-server.ts';

const API = `/targets/${TARGET}`;
const answers = { '/status': madeStatus(), [API]: madeTarget() };
const path = `/t/${TARGET}`;
const hash = (capture: number, kind: string): string =>
  CAPTURES[capture].files.find(file => file.kind === kind)?.sha256 ?? '';

describe('target', { skip: NO_BROWSER }, () => {
  it('shows whether it leaks, in every look', async t => {
    const opened = await openUi(t, { answers, path });
    assert.equal(await opened.page.getByRole('heading', { level: 1 }).textContent(), `leak ${madeTarget().sentence}`);
    await opened.page.locator('.time-chart canvas').first().waitFor();
    await assertSoundInEveryLook(opened, () => unfold(opened.page));
  });

  it('shows its tables as cards if a row does not fit', async t => {
    const { page } = await openUi(t, { answers, path, width: 390 });
    const [first] = madeTarget().resources;
    const card = page.getByRole('list', { name: 'Resources' }).getByRole('listitem').first();
    assert.equal(await card.locator('.card-head').textContent(), first.resource);
    for (const element of await page.locator('.cards > li').all()) {
      assert.ok(await element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth), 'nothing is cut');
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const head = page.getByRole('region', { name: 'Resources' }).getByRole('rowheader', { name: first.resource });
    await head.waitFor();
    // A tablet is no phone, but too narrow for this table.
    await page.setViewportSize({ width: 768, height: 800 });
    await card.waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await head.waitFor();
  });

  it('aligns its charts on one time axis, and labels each for screen readers', async t => {
    const { page } = await openUi(t, { answers, path });
    await page.locator('.time-chart canvas').first().waitFor();
    const charts = page.locator('.charts > .time-chart');
    assert.deepEqual(await charts.locator('strong').allTextContents(), [
      'Live heap',
      'Resident memory',
      'Goroutines',
      'Pods',
      'PLEG age',
    ]);
    const plots = await page.locator('.charts > .time-chart .u-over').all();
    const lefts = await Promise.all(plots.map(async plot => (await plot.boundingBox())?.x));
    assert.equal(new Set(lefts).size, 1);
    const label = await charts.first().getAttribute('aria-label');
    assert.match(label ?? '', /^Live heap: .*live heap 116 MiB/);
  });

  it('compares two captures with c', async t => {
    const { page } = await openUi(t, { answers, path });
    await page.getByRole('button', { name: 'Capture Sun 15:00, first of life' }).click();
    await page.getByRole('button', { name: 'Capture 10:00, heap ramp' }).click();
    await page.waitForURL('**?a=c-1&b=c-3');
    await page.getByRole('link', { name: 'Compare goroutine' }).waitFor();
    // Escape closes what is on top, and nothing else.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).search, '?a=c-1&b=c-3');
    // The range between them can be compared with the one before, without a mouse.
    const before = page.getByRole('button', { name: 'Compare with the range before' });
    await before.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**?brush=${CAPTURES[0].at},${CAPTURES[2].at}&vs=before`);
    await page.getByRole('region', { name: /and as long before it/ }).waitFor();
    await page.keyboard.press('c');
    await page.waitForURL(`**/compare?a=${hash(0, 'heap')}&b=${hash(2, 'heap')}`);
  });

  it('selects a time span, zooms into it, and returns with the range buttons', async t => {
    const requests: URL[] = [];
    const answer = (url: URL): unknown => {
      requests.push(url);
      return madeTarget();
    };
    const { page } = await openUi(t, { answers: { ...answers, [API]: answer }, path });
    const box = await page.locator('.u-over').first().boundingBox();
    assert.ok(box !== null);
    const drag = async (): Promise<void> => {
      await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.8, box.y + 30, { steps: 4 });
      await page.mouse.up();
    };
    // The charts share a cursor, and only the one that was dragged across knows of the Shift key.
    await page.keyboard.down('Shift');
    await drag();
    await page.keyboard.up('Shift');
    await page.waitForURL(/\?brush=\d+,\d+&vs=before$/);
    await page.keyboard.press('Escape');
    await page.waitForURL(url => url.search === '');
    await until(async () => (await page.locator('.u-select').first().boundingBox())?.width === 0);
    await drag();
    await page.waitForURL(/\?brush=\d+,\d+$/);
    // All charts show the time and their value under the cursor at once.
    const hovered = page.locator('.charts > .time-chart .time-chart-at');
    await until(async () => {
      const times = await hovered.allTextContents();
      return times.length === 5 && new Set(times).size === 1;
    });
    await page.getByRole('link', { name: /Compare heap/ }).waitFor();
    const [from, to] = (new URL(page.url()).searchParams.get('brush') ?? '').split(',').map(Number);
    assert.ok(Math.abs((to - from) / ((168 + 26 * 1.05) * 3600) - 0.6) < 0.01);
    // The means in it, against as long before it.
    await page.getByRole('button', { name: 'Compare with the range before' }).click();
    await page.waitForURL(/&vs=before$/);
    const row = page.getByRole('region', { name: /and as long before it/ }).getByRole('row', { name: /live heap/ });
    assert.match((await row.textContent()) ?? '', /^live heap.*MiB.*MiB/);
    await page.keyboard.press('z');
    await page.waitForURL(`**?from=${from}&to=${to}`);
    await until(() => requests.at(-1)?.search === `?from=${from}&to=${to}`);
    // An absolute range, to the minute.
    await page.getByLabel('Time range').selectOption('dialog');
    const dialog = page.getByRole('dialog', { name: 'Time range' });
    await dialog.getByLabel('From').fill('2026-08-04T10:00');
    await dialog.getByLabel('To').fill('2026-08-04T09:00');
    await dialog.getByText('The end must be after the start.').waitFor();
    await dialog.getByLabel('To').fill('2026-08-04T11:30');
    await dialog.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(url => Number(url.searchParams.get('to')) - Number(url.searchParams.get('from')) === 5400);
    await page.getByLabel('Time range').selectOption('24');
    await page.waitForURL(/\?hours=24$/);
    await until(() => {
      const last = requests.at(-1)?.searchParams;
      return Number(last?.get('to')) - Number(last?.get('from')) === 24 * 3600;
    });
  });

  it('shows the numbers as a table', async t => {
    const { page } = await openUi(t, { answers, path });
    await page.getByText('Numbers', { exact: true }).click();
    const table = page.getByRole('region', { name: 'Numbers' });
    const row = (await table.getByRole('row').nth(1).textContent()) ?? '';
    assert.match(row, /^12:00/);
    assert.match(row, /116 MiB/);
    assert.match((await table.getByRole('row').first().textContent()) ?? '', /go_gc_heap_live_bytes/);
  });

  it('says why, what it is, when the limit is reached and how to compute that, and what to do', async t => {
    const { page } = await openUi(t, { answers, path });
    await page.getByRole('link', { name: 'See the proof: open incident' }).waitFor();
    const lines = await page.locator('.answer-lines > div').allTextContents();
    assert.deepEqual(lines, [
      'Causeknown leak kubernetes#139823: pod workers keep a cancelled context for every sync; fixed in v1.36.3',
      'Limitreached in 15h–1d2h = (260 MiB limit, cgroup − 192 MiB resident on its trend) / 2.62 MiB to 4.53 MiB per hour, its rise',
      'NextUpgrade the kubelet to v1.36.3.Until then, restart it before Thu 03:00: systemctl restart kubelet.',
    ]);
    const evidence = page.getByRole('region', { name: 'Evidence' });
    assert.match(
      (await evidence.textContent()) ?? '',
      /leak: 99\.9 % sure that live heap leaks.*\+8\.0live heap rises 0\.76/,
    );
    const families = page.getByRole('region', { name: 'Families' }).getByRole('row');
    assert.equal(await families.count(), 2, 'one family in two lives is one row');
    assert.match((await families.nth(1).textContent()) ?? '', /\+717 KiB\/hlife 1 \+666 KiB\/h/);
    await page.getByText('why the verdict').click();
    await page.getByText('It rose in 31 of the last 32 hours.').first().waitFor();
    await page.getByText('why this match kubernetes#139823').click();
    await page.getByText(/v1\.36\.0 is affected/).waitFor();
  });

  it('follows updates without redrawing the page', async t => {
    const { page, ui } = await openUi(t, { answers, path });
    const canvas = await page.locator('.time-chart canvas').first().elementHandle();
    ui.answers[API] = madeTarget({ sentence: 'Live heap grows 0.80 MiB/h.' });
    ui.send({ kind: 'target', target: 'node/other', at: NOW });
    ui.send({ kind: 'target', target: TARGET, at: NOW });
    await page.getByRole('heading', { name: 'Live heap grows 0.80 MiB/h.' }).waitFor();
    assert.equal(await canvas?.evaluate(node => node.isConnected), true);
  });

  it('takes a capture on request, and says why not', async t => {
    const refused = new Failure(409, { error: 'A capture of it is under way.', hint: '' });
    const posts = { [`${API}/capture`]: refused };
    const { page, ui } = await openUi(t, { answers: { ...answers, ...posts }, path });
    await page.getByRole('button', { name: 'Capture now' }).click();
    await page.getByText('A capture of it is under way.').waitFor();
    ui.answers[`${API}/capture`] = { captureId: 'c-4' };
    await page.getByRole('button', { name: 'Capture now' }).click();
    await page.getByText('capture started').waitFor();
  });

  it('handles a target without data, and one that does not exist', async t => {
    const bare = madeTarget({
      sentence: 'Nothing is known of it yet.',
      verdict: 'unknown',
      attributes: {},
      resources: [],
      series: [],
      epochs: [],
      events: [],
      captures: [],
      trends: [],
      limits: [],
      incidents: [],
      analysis: null,
      cause: null,
      ledgers: [],
      todo: [],
    });
    const silent = madeStatus({ silent: [{ target: TARGET, why: 'connection refused: nothing listens there' }] });
    const { page, problems } = await openUi(t, {
      answers: { ...answers, '/status': silent, [API]: bare },
      path,
      width: 390,
    });
    await page.getByRole('heading', { name: 'Nothing is known of it yet.' }).waitFor();
    await page.getByText('connection refused: nothing listens there').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.goto(new URL('/t/node/nobody', page.url()).href);
    await page.getByRole('alert').waitFor();
    assert.deepEqual(problems, []);
  });
});
