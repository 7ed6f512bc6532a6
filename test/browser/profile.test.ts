import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, openUi, violations } from './browser.ts';
import { capture, madeProfiles } from './made-profiles.ts';
import { Failure } from './ui-server.ts';

const answers = madeProfiles();

async function answerOf(page: Page): Promise<string> {
  const answer = page.locator('h1.answer');
  await answer.waitFor();
  return ((await answer.textContent()) ?? '').replaceAll('\u00a0', ' ');
}

async function choose(page: Page, ...files: { readonly name: string; readonly bytes: Uint8Array }[]): Promise<void> {
  const payload = files.map(({ name, bytes }) => ({ name, mimeType: '', buffer: Buffer.from(bytes) }));
  await page.locator('input[type=file]').setInputFiles(payload);
}

async function drop(page: Page, onto: string, ...contents: Uint8Array[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    files => {
      const data = new DataTransfer();
      files.forEach((bytes, i) => data.items.add(new File([new Uint8Array(bytes)], `heap-${i}.pb.gz`)));
      return data;
    },
    contents.map(bytes => [...bytes]),
  );
  await page.locator(onto).dispatchEvent('drop', { dataTransfer });
}

describe('profile', { skip: NO_BROWSER }, () => {
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      it(`shows what is in it, ${theme}, ${width} px, without violations`, async t => {
        const { page, problems } = await openUi(t, { answers, path: '/p/dump', theme, width });
        assert.match(
          await answerOf(page),
          /^\d+ goroutines in \d+ families; \d+ blocked in chan receive at main\.go:\d+/,
        );
        await page.getByRole('row', { name: /leakSend/ }).click();
        await page.getByText('Labels').click();
        assert.deepEqual(await violations(page), []);
        await page.getByRole('tab', { name: 'Sandwich' }).click();
        await page.getByRole('tab', { name: 'Call tree' }).click();
        await page.getByRole('treegrid').waitFor();
        assert.deepEqual(await violations(page), []);
        assert.deepEqual(problems, []);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${overflow} px wider than the screen`);
      });
    }
  }

  it('shows one family in full: its state, its creator, its stack', async t => {
    const { page } = await openUi(t, { answers, path: '/p/dump' });
    await page.getByRole('row', { name: /leakSend/ }).click();
    const family = page.locator('.family');
    const text = (await family.textContent()) ?? '';
    assert.match(text, /g-[0-9a-f]{10}/);
    assert.match(text, /chan send/);
    assert.match(text, /created by/);
    assert.match((await family.locator('.stack-frames').textContent()) ?? '', /main\.leakSend.*main\.go:\d+/);
    await page.waitForURL(/family=g-/);
    assert.match((await page.locator('.frame-name').textContent()) ?? '', /leakSend/, 'the graph shows it too');
  });

  for (const width of [1280, 390]) {
    it(`shows how long the goroutines of each family have waited, ${width} px`, async t => {
      const { page } = await openUi(t, { answers, path: '/p/ages', width });
      const row = page.getByRole('row', { name: /main\.forward/ });
      await row.click();
      const words = /^arrive at a steady 7,205 per hour \(6,622 to 7,839\) for 12m, and stay$/;
      if (width > 720) await row.getByRole('img', { name: words }).waitFor();
      assert.match((await page.locator('.family').textContent()) ?? '', /arrive at a steady 7,205 per hour/);
      assert.deepEqual(await violations(page), []);
    });
  }

  it('copies a stack as text, folded, link and family id', async t => {
    const { page, ui } = await openUi(t, { answers, path: '/p/dump', isFresh: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: ui.url });
    await page.getByRole('row', { name: /leakSend/ }).click();
    await page.waitForURL(/family=g-/);
    const family = page.locator('.family');
    const copied = async (item: string): Promise<string> => {
      await family.getByRole('button', { name: 'Copy stack' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await family.getByText(/^Copied/).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.match(await copied('Text'), /^main\.leakSend[^\n]*\n\t.*main\.go:\d+\n/);
    assert.match(await copied('Folded'), /^main\.leakSend\S* \d+\n$/);
    assert.equal(await copied('Link'), page.url());
    const id = await copied('Family id');
    assert.equal(id, new URL(page.url()).searchParams.get('family'));
    await page.goto(await copied('Link'));
    assert.equal(await page.locator('.family').getAttribute('aria-label'), `Family ${id}`, 'the link shows it again');
  });

  it('finds functions by Go regexps, in the graph and in the table', async t => {
    const { page } = await openUi(t, { answers, path: '/p/dump?table=top' });
    const field = page.getByRole('searchbox', { name: /Find functions/ });
    await field.fill('^main\\.leak(Send|Recv)');
    await page.getByText(/^2 functions, \d+ %$/).waitFor();
    const rows = page.getByRole('grid', { name: 'Functions' }).locator('tbody [role=row]');
    assert.equal(await rows.count(), 2);
    await field.fill('(');
    await page.getByText(/error parsing regexp: missing closing \)/).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await field.fill('leakSend');
    await page.getByLabel('only matching stacks').check();
    await page.waitForURL(/f=leakSend&.*only=1|only=1&.*f=leakSend/);
    await page.getByText('100 %').first().waitFor();
  });

  it('sorts functions, which the address keeps', async t => {
    const { page } = await openUi(t, { answers, path: '/p/heap?table=top' });
    const table = page.getByRole('grid', { name: 'Functions' });
    const first = (): Promise<string | null> => table.locator('tbody [role=row] .table-name').first().textContent();
    await table.getByRole('button', { name: /^Cum/ }).click();
    await page.waitForURL(/sort=-cum/);
    assert.equal(await table.getByRole('columnheader', { name: /Cum/ }).getAttribute('aria-sort'), 'descending');
    const largest = await first();
    await table.getByRole('button', { name: /^Function/ }).click();
    await page.waitForURL(/sort=name/);
    assert.notEqual(await first(), largest);
  });

  it('filters by labels, and adds them as root frames', async t => {
    const { page } = await openUi(t, { answers, path: '/p/dump?table=tree' });
    await page.getByText('Labels').click();
    await page.getByRole('button', { name: /^chan send/ }).click();
    await page.waitForURL(/l=state/);
    const tree = page.getByRole('treegrid', { name: 'Call tree' });
    await tree.getByRole('row', { name: /leakSend/ }).waitFor();
    assert.equal(await tree.getByRole('row', { name: /leakRecv/ }).count(), 0);
    await page.getByRole('button', { name: 'state as root' }).click();
    await tree.getByRole('row', { name: /state=chan send/ }).waitFor();
  });

  it('shows callers and callees of the selection', async t => {
    const { page } = await openUi(t, { answers, path: '/p/heap?table=top&tab=sandwich' });
    await page.getByRole('application', { name: /^Callers of / }).waitFor();
    const rows = page.getByRole('grid', { name: 'Functions' }).locator('tbody [role=row]');
    const name = (await rows.nth(2).locator('.table-name').textContent()) ?? '';
    await rows.nth(2).click();
    await page.getByRole('application', { name: `Callers of ${name}` }).waitFor();
    await page.getByRole('application', { name: `What ${name} calls` }).waitFor();
  });

  it('switches sample types', async t => {
    const { page } = await openUi(t, { answers, path: '/p/heap' });
    await page.getByRole('button', { name: 'alloc_objects' }).click();
    await page.waitForURL(/si=alloc_objects/);
    await page.locator('.frame-values', { hasText: /total [\d,]+ *self/ }).waitFor();
  });

  it('reads a chosen file in the browser, without sending it', async t => {
    const { page, problems } = await openUi(t, { answers: {}, path: '/p/upload' });
    const sent: string[] = [];
    page.on('request', request => request.method() !== 'GET' && sent.push(request.url()));
    await choose(page, { name: 'heap.pb.gz', bytes: capture('go1.26/t3/heap.debug0.pb.gz') });
    await page.waitForURL('**/p/local-1');
    assert.match(await answerOf(page), /live in \d+ families/);
    assert.deepEqual(sent, []);
    assert.deepEqual(problems, []);
  });

  it('opens dropped files, and compares two of one kind', async t => {
    const { page } = await openUi(t, { answers: {}, path: '/p/upload' });
    const [early, late] = ['t0', 't3'].map(moment => capture(`go1.26/${moment}/heap.debug0.pb.gz`));
    await drop(page, '.drop', late, early);
    await page.waitForURL('**/compare?a=local-2&b=local-1');
    assert.match(await answerOf(page), /in total\.$/);
    await drop(page, 'h1', early);
    await page.waitForURL('**/p/local-3');
    assert.match(await answerOf(page), /live in/, 'dropped anywhere on the page');
  });

  it('says what a file is if it is not a profile, and stays usable', async t => {
    const { page } = await openUi(t, { answers: {}, path: '/p/upload' });
    await choose(page, {
      name: 'metrics\u202e.txt',
      bytes: new TextEncoder().encode('# TYPE go_threads gauge\ngo_threads 9\n'),
    });
    const alert = page.getByRole('alert');
    assert.match(
      (await alert.textContent()) ?? '',
      /^metrics\\u202e\.txt: metrics, not a profile; read them with `oakum/,
    );
    await choose(page, { name: 'a.txt', bytes: capture('go1.26/t3/goroutine.debug2.txt') });
    await page.waitForURL('**/p/local-2');
    assert.match(await answerOf(page), /goroutines/);
  });

  it('says why a profile cannot be opened', async t => {
    const gone = new Failure(404, { error: 'No such profile; it may have been pruned.', hint: '' });
    const { page } = await openUi(t, { answers: { '/profiles/x': gone }, path: '/p/x' });
    await page
      .getByRole('heading', { name: 'Cannot open this profile: No such profile; it may have been pruned.' })
      .waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Open a file' }).click();
    await page.waitForURL('**/p/upload');
    await page.goto(page.url().replace('upload', 'local-9'));
    await page.getByRole('heading', { name: /opened in another tab or before a reload; drop it again/ }).waitFor();
  });
});
