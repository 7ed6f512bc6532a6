import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { NO_BROWSER, openPage, violations } from './browser.ts';
import { QUICK_AXE } from './quick-axe.ts';

/** Everything that axe says about a page: what it finds, what it cannot tell, what passes, and the colours it saw. */
async function auditBy(source: string, page: Page): Promise<string> {
  await page.evaluate(source);
  return page.evaluate(async () => {
    const audit = await (window as unknown as { axe: typeof axe }).axe.run(document);
    return JSON.stringify([audit.violations, audit.incomplete, audit.passes, audit.inapplicable]);
  });
}

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

  it('says what axe says without our shortcuts, colour by colour', async t => {
    const { page } = await openPage(t, 'about:blank');
    const colours = [
      '#aaa',
      '#767676',
      'rgb(90 90 90 / 0.4)',
      'color-mix(in srgb, red, white 50%)',
      'hsl(0.5turn 80% 30%)',
    ];
    const lines = colours.flatMap(text =>
      colours.map(
        back => `<p style="color: ${text}; background: ${back}">some text <b style="opacity: 0.6">and more</b></p>`,
      ),
    );
    await page.setContent(`<!doctype html><html lang="en"><title>x</title><main><h1>x</h1>${lines.join('')}</main>`);
    const plain = await auditBy(axe.source, page);
    assert.ok(plain.includes('insufficient color contrast'));
    assert.equal(await auditBy(QUICK_AXE, page), plain);
  });
});
