/** Files of the user: chosen, or dropped on any page. They are read in the tab and never sent. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { assertSound, dragFiles, NO_BROWSER, openUi } from './browser.ts';
import { madeFleet, madeStatus, served } from './made-fleet.ts';
import { capture, madeProfiles } from './made-profiles.ts';
import { until } from '../until.ts';

const answers = { '/status': madeStatus(), '/fleet': served(madeFleet(3, 168)) };
const METRICS = new TextEncoder().encode('# TYPE go_goroutines gauge\ngo_goroutines 9\n');

interface Named {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const heap = (moment: string): Named => ({
  name: `${moment}.pb.gz`,
  bytes: capture(`go1.26/${moment}/heap.debug0.pb.gz`),
});
const dump: Named = { name: 'dump.txt', bytes: capture('go1.26/t3/goroutine.debug2.txt') };

async function drop(page: Page, onto: string, ...files: readonly Named[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    given => {
      const data = new DataTransfer();
      for (const { name, bytes } of given) data.items.add(new File([new Uint8Array(bytes)], name));
      return data;
    },
    files.map(({ name, bytes }) => ({ name, bytes: [...bytes] })),
  );
  await page.locator(onto).first().dispatchEvent('drop', { dataTransfer });
}

const headline = async (page: Page, wanted: RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name: wanted }).waitFor();

describe('dropped files', { skip: NO_BROWSER }, () => {
  it('open on any page: one profile, two of a kind compared, a mix analysed', async t => {
    const opened = await openUi(t, { answers, path: '/' });
    const { page } = opened;
    const sent: string[] = [];
    page.on('request', request => request.method() !== 'GET' && sent.push(request.url()));
    await page.locator('.fleet-row').first().waitFor();
    await drop(page, 'h1', heap('t3'));
    await page.waitForURL('**/p/local-1');
    await headline(page, /live in \d+ families/);
    await drop(page, 'h1', heap('t3'), heap('t0'));
    await page.waitForURL('**/compare?a=local-3&b=local-2');
    await headline(page, /in total\.$/);
    // Metrics alone are evidence, too.
    await drop(page, 'h1', { name: 'metrics.txt', bytes: METRICS });
    await page.waitForURL('**/analysis/pile-*');
    await drop(page, 'h1', heap('t0'), heap('t3'), dump);
    await headline(page, /may leak live heap: main\.startPodSync/);
    await page.getByRole('region', { name: 'Files' }).getByRole('link', { name: 'dump.txt' }).waitFor();
    await page.getByRole('region', { name: 'Families' }).waitFor();
    await assertSound(opened);
    await page.getByRole('link', { name: 'Compare the first heap profile with the last' }).click();
    await headline(page, /in total\.$/);
    assert.deepEqual(sent, []);
    await page.reload();
    await page.getByRole('heading', { name: /dropped in another tab or before a reload; drop it again/ }).waitFor();
  });

  it('can be chosen, a whole folder as well; what is no evidence gets one line', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-drop-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'worker-17'));
    for (const { name, bytes } of [heap('t0'), heap('t3'), dump]) writeFileSync(join(folder, 'worker-17', name), bytes);
    const { page, problems } = await openUi(t, { answers, path: '/p/upload' });
    const junk = { name: 'photo\u202e.png', mimeType: '', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]) };
    await page.getByLabel('Choose files').setInputFiles(junk);
    assert.match((await page.getByRole('alert').textContent()) ?? '', /^photo\\u202e\.png: .*\/debug\/pprof\/heap/);
    await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'worker-17'));
    await page.waitForURL('**/analysis/pile-*');
    await page.getByRole('link', { name: 'worker-17/dump.txt' }).click();
    await headline(page, /goroutines in \d+ families/);
    assert.deepEqual(problems, []);
  });

  it('can be a folder, dragged from the desktop: what is below it, too', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-drag-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'pile', 'worker-17'), { recursive: true });
    writeFileSync(join(folder, 'pile', 'metrics.txt'), METRICS);
    for (const { name, bytes } of [heap('t0'), heap('t3')]) {
      writeFileSync(join(folder, 'pile', 'worker-17', name), bytes);
    }
    const { page, problems } = await openUi(t, { answers, path: '/' });
    await page.locator('.fleet-row').first().waitFor();
    await dragFiles(page, 'h1', join(folder, 'pile'));
    await page.waitForURL('**/analysis/pile-*');
    await page.getByRole('link', { name: 'pile/worker-17/t0.pb.gz' }).waitFor();
    await page.getByRole('region', { name: 'Files' }).getByText('pile/metrics.txt').waitFor();
    // A file beside a folder is part of the pile; files alone are not a pile.
    await dragFiles(page, 'h1', join(folder, 'pile', 'worker-17'), join(folder, 'pile', 'metrics.txt'));
    await page.getByRole('link', { name: 'worker-17/t3.pb.gz', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Files' }).getByText('metrics.txt', { exact: true }).waitFor();
    await dragFiles(page, 'h1', join(folder, 'pile', 'worker-17', 't3.pb.gz'));
    await page.waitForURL('**/p/local-*');
    await headline(page, /live in \d+ families/);
    assert.deepEqual(problems, []);
  });

  it('have the frame of a file viewer in oakum pprof -http: no fleet, no search, no range, not live', async t => {
    const sha256 = 'a'.repeat(64);
    const { '/profiles/heap': profile } = madeProfiles();
    const status = { ...madeStatus(), mode: 'files', cluster: 'heap.pb.gz', targetCount: 0 };
    const files = [{ sha256, sources: ['/tmp/heap.pb.gz'] }];
    const viewer = { '/status': { ...status, files }, [`/profiles/${sha256}`]: profile };
    const opened = await openUi(t, { answers: viewer, path: `/p/${sha256}` });
    const { page } = opened;
    await headline(page, /live in \d+ families/);
    await page.locator('.profile-facts', { hasText: 'heap.pb.gz' }).waitFor();
    const links = page.locator('.breadcrumbs a');
    // The page's own breadcrumb is there before it is known that this page is the home.
    await until(async () => (await links.allTextContents()).join() === 'heap.pb.gz,Catalogue,Open');
    for (const absent of ['.top-bar-search', '.top-bar-range', '.connection']) {
      assert.equal(await page.locator(absent).count(), 0, absent);
    }
    await page.getByText('oakum pprof -top /tmp/heap.pb.gz').waitFor();
    await page.keyboard.press('?');
    assert.doesNotMatch((await page.getByRole('dialog').textContent()) ?? '', /fleet|time range/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL('**/p/upload');
    await page.keyboard.press('Escape');
    await page.waitForURL(`**/p/${sha256}`);
    await headline(page, /live in \d+ families/);
    await assertSound(opened);
  });
});
