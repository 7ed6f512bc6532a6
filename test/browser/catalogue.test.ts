import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { viewOfLeaks } from '../../src/knowledge/view.ts';
import { assertSoundInEveryLook, NO_BROWSER, openUi } from './browser.ts';
import { madeStatus } from './made-fleet.ts';

const catalogue = viewOfLeaks(BUNDLED_LEAKS, ref => (ref === 'kubernetes#139823' ? ['node/worker-17'] : []));
const answers = { '/status': madeStatus(), '/catalogue': catalogue };

describe('catalogue', { skip: NO_BROWSER }, () => {
  it('lists the known leaks, in every look', async t => {
    const opened = await openUi(t, { answers, path: '/catalogue' });
    const { page } = opened;
    await page.getByRole('heading', { level: 1, name: catalogue.sentence }).waitFor();
    const first = page.locator('.known').first();
    assert.equal(await first.locator('details').getAttribute('open'), '', 'leaks of this fleet are open');
    await first.getByRole('link', { name: 'node/worker-17' }).waitFor();
    await assertSoundInEveryLook(opened);
  });

  it('is filtered by words and component, which the address keeps', async t => {
    const { page } = await openUi(t, { answers, path: '/catalogue' });
    await page.getByRole('searchbox', { name: 'Filter known leaks' }).fill('139823');
    await page
      .getByRole('status')
      .getByText(/^\d+ of \d+$/)
      .waitFor();
    await page.waitForURL(/q=139823/);
    const reference = page.getByRole('link', { name: 'kubernetes#139823' }).first();
    assert.equal(await reference.getAttribute('href'), 'https://github.com/kubernetes/kubernetes/issues/139823');
    await page.getByRole('searchbox', { name: 'Filter known leaks' }).fill('');
    const components = page.getByRole('group', { name: 'Component' }).getByRole('button');
    assert.equal(await components.count(), 13, 'the first twelve, and the rest on request');
    await page.getByRole('button', { name: /^\d+ more$/ }).click();
    assert.equal(await components.count(), new Set(catalogue.leaks.map(({ component }) => component)).size);
    const kcp = catalogue.leaks.filter(({ component }) => component === 'kcp').length;
    await page.getByRole('button', { name: /^kcp/ }).click();
    await page.waitForURL(/component=kcp/);
    assert.equal(await page.locator('.known').count(), kcp);
  });

  it('opens the entry that a link names', async t => {
    const { id } = catalogue.leaks[3];
    const { page } = await openUi(t, { answers, path: `/catalogue?id=${id}` });
    await page.locator(`[id="${id}"] .known-body`).waitFor();
  });

  it('works without a server', async t => {
    const { page } = await openUi(t, { answers: {}, path: '/catalogue' });
    await page.getByText(/the catalogue that came with the page/).waitFor();
    assert.equal(await page.locator('.known').count(), catalogue.leaks.length);
    await page.getByRole('heading', { level: 1, name: viewOfLeaks(BUNDLED_LEAKS).sentence }).waitFor();
  });
});
