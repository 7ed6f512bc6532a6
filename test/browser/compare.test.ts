import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSoundInEveryLook, NO_BROWSER, openUi, violations } from './browser.ts';
import { madeProfiles } from './made-profiles.ts';

const answers = madeProfiles();
const path = '/compare?a=goroutines-before&b=goroutines';

describe('compare', { skip: NO_BROWSER }, () => {
  it('shows what grew, in every look', async t => {
    const opened = await openUi(t, { answers, path });
    const { page } = opened;
    const growth = page.getByRole('grid', { name: 'Growth by family' });
    await growth.waitFor();
    const answer = ((await page.locator('h1.answer').textContent()) ?? '').replaceAll('\u00a0', ' ');
    assert.match(
      answer,
      /^\+\d+ goroutines \(\d+ % of the growth of \d+\) in main\.\S+.*; \d+ → \d+ goroutines in total\.$/,
    );
    await growth.locator('tbody [role=row]').first().click();
    await page.locator('.family').waitFor();
    await assertSoundInEveryLook(opened);
  });

  it('distinguishes new from grown, and shows growth per operation', async t => {
    const { page } = await openUi(t, { answers, path: '/compare?a=heap-before&b=heap' });
    const growth = page.getByRole('grid', { name: 'Growth by family' });
    await growth.getByText('new', { exact: true }).first().waitFor();
    assert.equal(await growth.getByRole('columnheader', { name: 'Per operation' }).count(), 0);
    await page.getByLabel(/Operations in between/).fill('10');
    await page.getByLabel(/Operations in between/).press('Enter');
    await growth.getByRole('columnheader', { name: 'Per operation' }).waitFor();
    await page.waitForURL(/ops=10/);
  });

  it('swaps before and after', async t => {
    const { page } = await openUi(t, { answers, path: '/compare?a=heap-before&b=heap' });
    await page.getByRole('link', { name: 'swap' }).click();
    await page.waitForURL('**/compare?a=heap&b=heap-before');
    await page.getByRole('heading', { name: /^Nothing grew/ }).waitFor();
    const growth = page.getByRole('grid', { name: 'Growth by family' });
    await growth.getByText('gone', { exact: true }).first().waitFor();
  });

  it('compares functions too', async t => {
    const { page } = await openUi(t, { answers, path: '/compare?a=heap-before&b=heap&table=top' });
    const table = page.getByRole('grid', { name: 'Functions' });
    await table.getByRole('columnheader', { name: /Flat change/ }).waitFor();
    assert.match((await table.locator('tbody [role=row] .num').first().textContent()) ?? '', /^\+/);
  });

  it('does not compare profiles of different kinds', async t => {
    const { page } = await openUi(t, { answers, path: '/compare?a=heap&b=dump' });
    await page
      .getByRole('heading', { name: 'Cannot compare heap with goroutine: these are different kinds of profiles.' })
      .waitFor();
    assert.deepEqual(await violations(page), []);
  });

  it('asks for a missing profile', async t => {
    const { page } = await openUi(t, { answers, path: '/compare?a=heap' });
    await page.getByRole('heading', { name: 'Drop the later profile.' }).waitFor();
    const buffer = Buffer.from(answers['/profiles/heap-before'] as Uint8Array);
    await page.locator('input[type=file]').setInputFiles({ name: 'later.pb.gz', mimeType: '', buffer });
    await page.waitForURL('**/compare?a=heap&b=local-1');
    await page.locator('h1.answer').waitFor();
  });
});
