/** oakum.html as people use it: opened from disk, with the network off. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { assertSoundInEveryLook, dragFiles, NO_BROWSER, openPage, type OpenPage } from './browser.ts';
import { capture } from './made-profiles.ts';
import { RECORDINGS } from '../places.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-page-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'oakum.html');

before(async () => {
  // @ts-expect-error: plain JavaScript, without types
  const { filePage } = (await import('../../scripts/make-page.mjs')) as { filePage: () => Promise<string> };
  writeFileSync(file, await filePage());
});

interface OpenFile extends OpenPage {
  /** Everything that the page asked for, besides itself and its worker. */
  readonly asked: readonly string[];
}

async function openFile(t: TestContext): Promise<OpenFile> {
  const asked: string[] = [];
  const opened = await openPage(t, 'about:blank', { isFresh: true });
  await opened.page.context().setOffline(true);
  opened.page.on('request', request => {
    if (!/^(?:blob|data):/.test(request.url())) asked.push(request.url());
  });
  await opened.page.goto(pathToFileURL(file).href);
  await opened.page.getByRole('heading', { level: 1, name: /^Paste, drop or choose/ }).waitFor();
  assert.deepEqual(asked.splice(0), [pathToFileURL(file).href]);
  return { ...opened, asked };
}

const HEAPS = ['t0', 't3'].map(moment => ({
  name: `${moment}.pb.gz`,
  bytes: capture(`go1.26/${moment}/heap.debug0.pb.gz`),
}));

describe('oakum.html', { skip: NO_BROWSER }, () => {
  it('is one file that is allowed nothing but its own script', () => {
    const page = readFileSync(file, 'utf8');
    assert.ok(page.length < 1.5e6, `${page.length} bytes`);
    assert.match(page, /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';.* connect-src 'none'/);
    assert.doesNotMatch(page, /<script[^>]+src=|<link[^>]+stylesheet|type="module"/);
  });

  it('analyses what is pasted anywhere', async t => {
    const { page, problems, asked } = await openFile(t);
    const text = readFileSync(join(RECORDINGS, 'captures/ages/leaky/t12/goroutine.debug2.txt'), 'utf8');
    await page.evaluate(pasted => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    await page.locator('.answer-verdict').waitFor();
    await page.getByRole('region', { name: 'Files' }).getByText('paste.txt').waitFor();
    assert.deepEqual([problems, asked], [[], []]);
  });

  it('takes a text in its field, as on a phone', async t => {
    const { page, problems } = await openFile(t);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('textbox', { name: 'Text to analyse' }).fill('# TYPE go_goroutines gauge\ngo_goroutines 12\n');
    await page.getByRole('button', { name: 'Analyse the text' }).click();
    await page.locator('.answer-verdict').waitFor();
    assert.deepEqual(problems, []);
  });

  it('analyses a folder that is dropped, and writes a report without its names', async t => {
    const { page, problems, asked } = await openFile(t);
    const pile = join(folder, 'node', 'secret-worker-17');
    mkdirSync(pile, { recursive: true });
    for (const { name, bytes } of HEAPS) writeFileSync(join(pile, name), bytes);
    await dragFiles(page, 'h1', join(folder, 'node'));
    await page.getByRole('heading', { level: 1, name: /leak live heap: main\.startPodSync/ }).waitFor();
    await page.getByRole('button', { name: 'Write a report' }).click();
    const report = page.locator('.report-text');
    await report.waitFor();
    const text = await report.inputValue();
    assert.match(text, /startPodSync/);
    assert.doesNotMatch(text, /secret-worker/);
    assert.deepEqual([problems, asked], [[], []]);
  });

  it('compares two heaps, and goes back', async t => {
    const { page, problems, asked } = await openFile(t);
    const files = HEAPS.map(({ name, bytes }) => ({ name, mimeType: '', buffer: Buffer.from(bytes) }));
    await page.getByLabel('Choose files').setInputFiles(files);
    await page.getByRole('heading', { level: 1, name: /in total\.$/ }).waitFor();
    assert.match(page.url(), /oakum\.html#\/compare\?a=local-1&b=local-2/);
    await page.locator('canvas').first().waitFor();
    await page.getByRole('link', { name: 't0.pb.gz' }).click();
    await page.getByRole('heading', { level: 1, name: /live in \d+ families/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: /in total\.$/ }).waitFor();
    assert.deepEqual([problems, asked], [[], []]);
  });

  it('has examples and the catalogue, sound in every look', async t => {
    const opened = await openFile(t);
    const { page, problems, asked } = opened;
    await assertSoundInEveryLook(opened);
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const [example, answer] of [
      ['A kubelet that leaks contexts', /^leak .*context stays behind after every pod sync/i],
      ['Goroutines that wait forever', /^(?:leak|watch) .*main\.cond/],
      ['Looks bad, is healthy', /^healthy /],
    ] as const) {
      await page.getByRole('button', { name: example }).click();
      await page.getByRole('heading', { level: 1, name: answer }).waitFor();
      await page.getByRole('link', { name: 'Open files' }).first().click();
    }
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await page.getByRole('heading', { level: 1, name: /^\d+ known leaks; / }).waitFor();
    assert.equal(await page.getByText('This page has no server').count(), 0);
    assert.deepEqual([problems, asked], [[], []]);
  });
});
