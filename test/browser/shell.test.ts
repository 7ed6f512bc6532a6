import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_BROWSER, openUi, violations } from './browser.ts';
import { until } from '../until.ts';
import type { StoryEvent } from '../../src/watch/watch-model.ts';
import { madeFleet, madeStatus, NOW, served } from './made-fleet.ts';
import { servedIncidents } from './served-incidents.ts';
import { Failure } from './ui-server.ts';

const answers = { '/status': madeStatus(), '/fleet': served(madeFleet()) };
const HOSTILE = '<img src=x onerror="document.title=1">\u202enode\u001b[31m';

describe('shell', { skip: NO_BROWSER }, () => {
  it('leads from an unknown address to a fleet of 5,000', async t => {
    const { page } = await openUi(t, { answers: { ...answers, '/fleet': served(madeFleet(5000)) }, path: '/nowhere' });
    await page.getByRole('link', { name: 'Go to the fleet' }).click();
    await page.getByRole('table').waitFor();
    await page.reload();
    await page.getByRole('table').waitFor();
  });

  it('shows the keys on ?, and closes them on Escape', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    await page.getByRole('table').waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    assert.match((await dialog.textContent()) ?? '', /next row/);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  it('changes the time range with [ and ], in the address', async t => {
    const requests: string[] = [];
    const fleet = (url: URL): unknown => {
      requests.push(url.searchParams.get('hours') ?? '');
      return served(madeFleet())(url);
    };
    const { page } = await openUi(t, { answers: { ...answers, '/fleet': fleet }, path: '/' });
    await page.getByRole('table').waitFor();
    await page.keyboard.press('[');
    await page.waitForURL(/\?hours=72$/);
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    await page.waitForURL(/\?hours=720$/);
    await page.getByLabel('Time range').selectOption('24');
    await page.waitForURL(/\?hours=24$/);
    await until(() => requests.at(-1) === '24');
    assert.equal(requests[0], '168');
  });

  it('goes to the fleet with g f, and searches from any page', async t => {
    const { page } = await openUi(t, { answers: { ...answers, '/incidents': servedIncidents([]) }, path: '/i' });
    await page.getByRole('heading', { name: 'No incidents so far.' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('table').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'No incidents so far.' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('worker-07');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/\?q=worker-07$/);
    await page.getByRole('rowheader').first().waitFor();
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), ['node/worker-07']);
  });

  it('is switched to dark and stays dark', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    const ground = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.getByRole('table').waitFor();
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    assert.equal(await ground(), 'rgb(20, 23, 26)');
    await page.reload();
    await page.getByRole('table').waitFor();
    assert.equal(await ground(), 'rgb(20, 23, 26)');
  });

  it('keeps the last data while disconnected, retries visibly, and goes on', async t => {
    const { page, ui } = await openUi(t, { answers, path: '/' });
    await page.getByText('live', { exact: true }).waitFor();
    ui.pause();
    await page.getByText(/disconnected for \d+s, retrying/).waitFor();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), madeFleet().sentence);
    assert.deepEqual(await violations(page), []);
    ui.answers['/fleet'] = served({ ...madeFleet(), sentence: 'None of 24 nodes leaks.' });
    ui.resume();
    const retry = page.getByRole('button', { name: 'Retry now' });
    // On a slow machine it retries before the test can click.
    await Promise.race([retry.click(), retry.waitFor({ state: 'hidden' })]);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'None of 24 nodes leaks.' }).waitFor();
  });

  it('says since when there is no news, although it is connected', async t => {
    const { page, ui } = await openUi(t, { answers, path: '/', isFresh: true });
    await page.clock.install();
    await page.reload();
    await page.getByText('live', { exact: true }).waitFor();
    await page.clock.fastForward(200_000);
    await page.getByText(/no updates for 3m\d+s/).waitFor();
    ui.send({ kind: 'fleet', at: NOW });
    await page.getByText('live', { exact: true }).waitFor();
  });

  it('shows a message and a next step when the server refuses, and tries again', async t => {
    const refusal = new Failure(503, { error: 'The store is being repaired.', hint: 'It takes about a minute.' });
    const { page, ui } = await openUi(t, { answers: { ...answers, '/fleet': refusal }, path: '/' });
    await page.getByRole('alert').waitFor();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /being repaired.*about a minute/);
    assert.deepEqual(await violations(page), []);
    ui.answers['/fleet'] = served(madeFleet());
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').waitFor();
  });

  it('draws a skeleton only when the answer is late', async t => {
    const { page } = await openUi(t, {
      answers: { '/status': madeStatus(), '/fleet': () => undefined },
      path: '/nowhere',
      isFresh: true,
    });
    await page.getByRole('heading', { name: 'Page not found.' }).waitFor();
    let let_go = (): void => undefined;
    await page.route('**/api/v1/fleet*', async route => {
      await new Promise<void>(done => (let_go = done));
      await route.fulfill({ json: await served(madeFleet())(new URL(route.request().url())) });
    });
    // The clock of the page stands still until the test moves it.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('navigation').getByRole('link', { name: 'Fleet' }).click();
    await page.waitForURL(url => url.pathname === '/');
    assert.equal(await page.locator('.skeleton').count(), 0);
    await page.clock.runFor(1000);
    await page.locator('.skeleton').waitFor();
    await page.clock.resume();
    assert.deepEqual(await violations(page), []);
    let_go();
    await page.getByRole('table').waitFor();
    assert.equal(await page.locator('.skeleton').count(), 0);
  });

  it('shows missing rights with the command that grants them, and problems of the store', async t => {
    const status = madeStatus({
      capturesAllowed: false,
      missingRights: [
        { why: 'forbidden', what: 'captures', command: 'kubectl apply -f capture-role.yaml' },
        { why: 'failing', what: 'nodes: nothing listens at 127.0.0.1:16443', command: 'kubectl cluster-info' },
        { why: 'off', what: 'evidence is not taken before a kill', command: 'oakum watch --capture' },
      ],
      store: { bytes: 1, degraded: 'the disk is full; new samples wait in memory' },
    });
    const { page } = await openUi(t, { answers: { ...answers, '/status': status }, path: '/' });
    await page.locator('.banner-rights strong').last().waitFor();
    assert.deepEqual(await page.locator('.banner-rights strong').allTextContents(), [
      'Not reachable:',
      'Not allowed:',
      'Switched off:',
    ]);
    await page.getByText('Not allowed:').click();
    await page.getByText('kubectl apply -f capture-role.yaml').waitFor();
    await page.getByText(/the disk is full/).waitFor();
    assert.deepEqual(await violations(page), []);
  });

  it('tells what the demo has found, and invites to try it at the end', async t => {
    const begun: StoryEvent[] = [
      { at: NOW - 60, kind: 'event', target: 'node/a', incidentId: null, text: 'watch: live heap grows' },
      { at: NOW - 30, kind: 'event', target: 'node/a', incidentId: 'i-1', text: 'leak proved: live heap grows' },
    ];
    const end: StoryEvent = { at: NOW, kind: 'end', target: null, incidentId: 'i-1', text: 'The recording is over.' };
    const status = madeStatus({ mode: 'demo', pace: 600, story: begun });
    const { page, ui } = await openUi(t, { answers: { ...answers, '/status': status }, path: '/' });
    await page.getByText('demo, 600× faster').waitFor();
    const strip = page.getByRole('region', { name: 'The story so far' });
    assert.match((await strip.getByRole('status').textContent()) ?? '', /^11:59 node\/a leak proved: live heap grows$/);
    assert.equal(await strip.getByRole('link', { name: 'See the proof on one page' }).count(), 0);
    ui.send({ kind: 'status', status: { ...status, story: [...begun, end] } });
    const proof = strip.getByRole('link', { name: 'See the proof on one page' });
    assert.equal(await proof.getAttribute('href'), '/i/i-1');
    await strip.getByText('oakum triage node/NAME').waitFor();
    await strip.getByText('3 events').click();
    assert.equal(await strip.locator('li').count(), 3);
    assert.deepEqual(await violations(page), []);
  });

  it('shows hostile names as text', async t => {
    const fleet = madeFleet(3);
    const rows = fleet.rows.map(row => ({
      ...row,
      target: HOSTILE,
      attributes: { version: HOSTILE },
      reason: HOSTILE,
    }));
    const { page, problems } = await openUi(t, {
      answers: { ...answers, '/fleet': served({ ...fleet, rows: rows.slice(0, 1) }) },
      path: '/',
    });
    const name = await page.getByRole('rowheader').textContent();
    assert.equal(name, '<img src=x onerror="document.title=1">\\u202enode\\x1b[31m');
    assert.equal(await page.locator('main img').count(), 0);
    await page.waitForFunction(() => document.title === 'Fleet · Oakum');
    assert.deepEqual(problems, []);
  });
});
