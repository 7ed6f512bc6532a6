import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_BROWSER, openPage, violations } from './browser.ts';

describe('the audit of a page', { skip: NO_BROWSER }, () => {
  it('finds violations, of all rules or of one', async t => {
    const { page } = await openPage(t, 'about:blank');
    await page.setContent(`<!doctype html><html lang="en"><title>x</title>
      <main><h1>x</h1><img src="x.png"><p style="color: #aaa; background: #fff">pale</p></main>`);
    const found = await violations(page);
    assert.deepEqual(found.map(line => line.split(':')[0]).sort(), ['color-contrast', 'image-alt']);
    assert.deepEqual(await violations(page, ['color-contrast']), [found.find(line => line.startsWith('color'))]);
    await page.setContent('<!doctype html><html lang="en"><title>x</title><main><h1>x</h1></main>');
    assert.deepEqual(await violations(page), []);
  });
});
