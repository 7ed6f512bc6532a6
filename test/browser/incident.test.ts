import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSound, LOOKS, NO_BROWSER, openUi, violations } from './browser.ts';
import { madeStatus, NOW } from './made-fleet.ts';
import { CAPTURES, madeIncident } from './made-target.ts';

const answers = {
  '/status': madeStatus(),
  '/incidents': [madeIncident(), madeIncident({ id: 'i-0', closedAt: NOW - 86_400, openedAt: NOW - 2 * 86_400 })],
  '/incidents/i-1': madeIncident(),
};

describe('incident', { skip: NO_BROWSER }, () => {
  for (const { name, ...look } of LOOKS) {
    it(`says what happened and what to do, ${name}`, async t => {
      const opened = await openUi(t, { answers, path: '/i/i-1', ...look });
      assert.equal(await opened.page.getByRole('heading', { level: 1 }).textContent(), madeIncident().sentence);
      for (const disclosure of await opened.page.locator('summary').all()) await disclosure.click();
      await assertSound(opened);
    });
  }

  it('shows the story in order, with its captures', async t => {
    const { page } = await openUi(t, { answers, path: '/i/i-1' });
    const steps = page.getByRole('region', { name: 'What happened' }).locator('ol > li');
    await steps.first().waitFor();
    const kinds = await steps.locator('strong').allTextContents();
    assert.deepEqual(kinds, ['slope', 'watch', 'capture', 'leak', 'capture']);
    const heap = steps.nth(2).getByRole('link', { name: 'heap' });
    assert.equal(await heap.getAttribute('href'), `/p/${CAPTURES[1].files[0].sha256}`);
  });

  it('says what to do, what not to do, and what it is', async t => {
    const { page } = await openUi(t, { answers, path: '/i/i-1' });
    const aside = page.getByRole('complementary', { name: 'What to do' });
    await aside.waitFor();
    assert.deepEqual(await aside.getByRole('heading', { level: 2 }).allTextContents(), [
      'Do now',
      'Do not',
      'Why',
      'Downloads',
    ]);
    assert.equal(await aside.locator('code').first().textContent(), 'systemctl restart kubelet');
    const link = aside.getByRole('link', { name: 'kubernetes#139823' });
    assert.equal(await link.getAttribute('href'), '/catalogue?q=kubernetes%23139823');
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
