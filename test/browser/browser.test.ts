import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_BROWSER, openPage, violations } from './browser.ts';

describe('the audit of a page', { skip: NO_BROWSER }, () => {
  it('finds violations, in the dark theme those of its colours', async t => {
    const { page } = await openPage(t, 'about:blank');
    await page.setContent(`<!doctype html><html lang="en"><title>x</title>
      <main><h1>x</h1><img src="x.png"><p style="color: #aaa; background: #fff">pale</p></main>`);
    const found = await violations(page);
    assert.deepEqual(found.map(line => line.split(':')[0]).sort(), ['color-contrast', 'image-alt']);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await violations(page), [found.find(line => line.startsWith('color'))]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setContent('<!doctype html><html lang="en"><title>x</title><main><h1>x</h1></main>');
    assert.deepEqual(await violations(page), []);
  });
});
