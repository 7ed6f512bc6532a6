import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSoundInEveryLook, NO_BROWSER, openUi, unfold, violations } from './browser.ts';
import { madeStatus, NOW } from './made-fleet.ts';
import { capture } from './made-profiles.ts';
import { servedIncidents } from './served-incidents.ts';
import { Failure } from './ui-server.ts';
import { CAPTURES, madeIncident, madeTarget, TARGET } from './made-target.ts';

const answers = {
  '/status': madeStatus(),
  '/incidents': servedIncidents([
    madeIncident(),
    madeIncident({ id: 'i-0', closedAt: NOW - 86_400, openedAt: NOW - 2 * 86_400 }),
  ]),
  '/incidents/i-1': madeIncident(),
  [`/targets/${TARGET}`]: madeTarget(),
  [`/profiles/${CAPTURES[0].files[0].sha256}`]: capture('go1.26/t0/heap.debug0.pb.gz'),
  [`/profiles/${CAPTURES[2].files[0].sha256}`]: capture('go1.26/t3/heap.debug0.pb.gz'),
};

describe('incident', { skip: NO_BROWSER }, () => {
  it('says what happened and what to do, in every look', async t => {
    const opened = await openUi(t, { answers, path: '/i/i-1' });
    const { page } = opened;
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), `leak ${madeIncident().sentence}`);
    await assertSoundInEveryLook(opened, async () => {
      await page.getByRole('application', { name: 'Flame graph of what grew' }).waitFor();
      await unfold(page);
    });
  });

  it('shows the story in order, with its captures', async t => {
    const { page } = await openUi(t, { answers, path: '/i/i-1' });
    await page.getByText('What happened, step by step').click();
    const steps = page.getByRole('region', { name: 'What happened' }).locator('ol > li');
    await steps.first().waitFor();
    const kinds = await steps.locator('strong').allTextContents();
    assert.deepEqual(kinds, ['slope', 'watch', 'capture', 'leak', 'capture']);
    const heap = steps.nth(2).getByRole('link', { name: 'heap' });
    assert.equal(await heap.getAttribute('href'), `/p/${CAPTURES[1].files[0].sha256}`);
  });

  it('has the proof on one page: growth, restart, what grew, evidence', async t => {
    const { page } = await openUi(t, { answers, path: '/i/i-1' });
    const graph = page.getByRole('region', { name: 'What grew' });
    await graph.getByRole('application', { name: 'Flame graph of what grew' }).waitFor();
    const charts = page.getByRole('region', { name: 'How it grows' }).locator('.time-chart strong');
    await charts.last().waitFor();
    const sections = await page.locator('.incident-proof h2').allTextContents();
    assert.deepEqual(sections, [
      'How it grows',
      'Before and after the restart',
      'What grew',
      'Evidence',
      'What happened, step by step',
    ]);
    assert.deepEqual(await charts.allTextContents(), ['Live heap', 'Resident memory', 'Pods']);
    const slopes = await page.locator('.restart-slopes > div').allTextContents();
    assert.match(
      slopes.join(' | '),
      /^beforelive heap \+768 KiB\/h .* \| afterlive heap \+778 KiB\/h .*until [\d:]+, when it was judged \| nowlive heap \+758 KiB\/h /,
    );
    // The first and the last capture of the life, until others are chosen on the timeline.
    const [a, , b] = CAPTURES.map(({ files }) => files[0].sha256);
    const open = graph.getByRole('link', { name: 'Open the comparison' });
    assert.equal(await open.getAttribute('href'), `/compare?a=${a}&b=${b}`);
    await page.getByText('One event beside the restart').click();
    await page.getByText('kubelet killed: its cgroup reached 512 MiB').waitFor();
    const evidence = page.getByRole('region', { name: 'Evidence', exact: true });
    assert.match((await evidence.textContent()) ?? '', /99\.9 % sure that live heap leaks/);
  });

  it('says what to do, what not to do, and what it is; takes notes', async t => {
    const { page, ui } = await openUi(t, { answers: { ...answers }, path: '/i/i-1' });
    const aside = page.getByRole('complementary', { name: 'What to do' });
    await aside.waitFor();
    assert.deepEqual(await aside.getByRole('heading', { level: 2 }).allTextContents(), ['Do now', 'Do not', 'Cause']);
    const keep = page.locator('.incident-keep');
    assert.deepEqual(await keep.getByRole('heading', { level: 2 }).allTextContents(), ['Downloads', 'Notes']);
    assert.equal(await aside.locator('code').first().textContent(), 'systemctl restart kubelet');
    const link = aside.getByRole('link', { name: 'kubernetes#139823' });
    assert.equal(await link.getAttribute('href'), '/catalogue?q=kubernetes%23139823');

    // Someone takes care of it, and says so; the name is remembered.
    assert.ok(await keep.getByRole('button', { name: 'Acknowledge: I take care of it' }).isDisabled());
    await keep.getByLabel('Your name').fill('kim');
    await keep.getByLabel('Note', { exact: true }).fill('Upgrade planned.');
    const note = { at: NOW, by: 'kim', text: 'Upgrade planned.', acknowledges: true };
    ui.answers['/incidents/i-1/notes'] = note;
    ui.answers['/incidents/i-1'] = madeIncident({ notes: [note], acknowledged: { at: NOW, by: 'kim' } });
    const posted = page.waitForRequest(request => request.method() === 'POST');
    await keep.getByRole('button', { name: 'Acknowledge: I take care of it' }).click();
    assert.deepEqual((await posted).postDataJSON(), { by: 'kim', text: 'Upgrade planned.', acknowledges: true });
    await page.locator('.answer-facts').getByText('acknowledged by kim').waitFor();
    assert.equal(await keep.locator('.notes li').textContent(), 'kim 12:00 takes care of itUpgrade planned.');
    ui.answers['/incidents/i-1/notes'] = new Failure(400, { error: 'A note needs a text.', hint: '' });
    await keep.getByLabel('Note', { exact: true }).fill('x');
    await keep.getByRole('button', { name: 'Add note' }).click();
    await keep.getByText('A note needs a text.').waitFor();
  });

  it('downloads the bundle and a report', async t => {
    const files = {
      '/incidents/i-1/bundle': new Uint8Array([1, 2, 3]),
      '/incidents/i-1/report': (url: URL) => new TextEncoder().encode(`for ${url.searchParams.get('for')}`),
    };
    const { page } = await openUi(t, { answers: { ...answers, ...files }, path: '/i/i-1' });
    for (const name of ['Evidence bundle', 'Report for the project']) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
      assert.equal(await download.failure(), null);
    }
    assert.match(page.url(), /\/i\/i-1$/);
  });

  it('lists all incidents, open ones first', async t => {
    const { page } = await openUi(t, { answers, path: '/i' });
    await page.getByRole('heading', { name: '1 open incident, 2 in total.' }).waitFor();
    const links = page.getByRole('link', { name: /Known leak/ });
    assert.equal(await links.first().getAttribute('href'), '/i/i-1');
    assert.deepEqual(await violations(page), []);
  });
});
