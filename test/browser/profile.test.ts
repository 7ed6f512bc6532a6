import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { assertSoundInBothThemes, assertSoundInEveryLook, NO_BROWSER, openUi, violations } from './browser.ts';
import { capture, madeProfiles } from './made-profiles.ts';
import { Failure } from './ui-server.ts';

const answers = madeProfiles();

async function answerOf(page: Page): Promise<string> {
  const answer = page.locator('h1.answer');
  await answer.waitFor();
  return ((await answer.textContent()) ?? '').replaceAll('\u00a0', ' ');
}

describe('profile', { skip: NO_BROWSER }, () => {
  it('shows what is in it, in every view and look', async t => {
    const opened = await openUi(t, { answers, path: '/p/dump' });
    const { page } = opened;
    assert.match(await answerOf(page), /^\d+ goroutines in \d+ families; \d+ blocked in chan receive at main\.go:\d+/);
    await page.getByRole('row', { name: /leakSend/ }).click();
    await page.locator('.labels > summary').click();
    await assertSoundInEveryLook(opened);
    await page.getByRole('tab', { name: 'Sandwich' }).click();
    await page.getByRole('tab', { name: 'Call tree' }).click();
    await page.getByRole('treegrid').waitFor();
    await assertSoundInEveryLook(opened);
    await page.getByText('Filters', { exact: true }).click();
    for (const [tab, shown] of [
      ['Call graph', '.call-graph-node'],
      ['Peek', '.peek-own'],
      ['Source', '.source-hot'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.locator(shown).first().waitFor();
      await assertSoundInBothThemes(opened);
    }
  });

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
      await family.getByText(new RegExp(`^Copied: ${item}`)).waitFor();
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
    await page.getByRole('button', { name: 'Only these stacks' }).click();
    await page.waitForURL(/\?table=top&focus=leakSend$/);
    await page.getByText(/^focus=leakSend$/).waitFor();
  });

  it('filters in the words of pprof, with the command that prints the same', async t => {
    const { page, problems, ui } = await openUi(t, { answers, path: '/p/heap?table=top', isFresh: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: ui.url });
    await page.getByText('Filters', { exact: true }).click();
    await page.getByLabel('focus', { exact: true }).fill('main\\.');
    await page.getByLabel('hide', { exact: true }).fill('^runtime');
    await page.waitForURL(/hide=/);
    await page.getByLabel('granularity').selectOption('lines');
    await page.getByLabel('unit').selectOption('kB');
    const rows = page.getByRole('grid', { name: 'Functions' }).locator('tbody [role=row]');
    await rows
      .filter({ hasText: /main\.\S+ \S*main\.go:\d+/ })
      .first()
      .waitFor();
    assert.match((await rows.first().locator('.num').first().textContent()) ?? '', /^[\d.]+kB$|^0$/);
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      `oakum pprof -top -focus='main\\.' -hide='^runtime' -lines -unit=kB ${ui.url}/api/v1/profiles/heap`,
    );
    await page.getByLabel('focus', { exact: true }).fill('(');
    await page.getByText(/missing closing \)/).waitFor();
    assert.equal(await page.getByLabel('focus', { exact: true }).getAttribute('aria-invalid'), 'true');
    await page.getByLabel('focus', { exact: true }).fill('nosuch');
    await page.getByText('Focus expression matched no samples').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL(/\?table=top$/);
    assert.deepEqual(problems, []);
  });

  it('filters from the menu of a frame', async t => {
    const { page } = await openUi(t, { answers, path: '/p/heap?table=top' });
    const graph = page.getByRole('application', { name: 'Flame graph' });
    const choose = async (item: RegExp): Promise<void> => {
      await graph.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('m');
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose(/^Ignore/);
    await page.waitForURL(/ignore=%5E.+%24$/);
    await choose(/^Ignore/);
    await page.waitForURL(/ignore=%5E.+%24%7C%5E.+%24$/);
    await choose(/^Show from/);
    await page.waitForURL(/show_from=/);
    await choose(/^Focus/);
    await page.waitForURL(/focus=/);
  });

  it('draws the call graph, which is followed by keyboard and zoomed', async t => {
    const { page, problems } = await openUi(t, { answers, path: '/p/heap?tab=graph' });
    const graph = page.getByRole('application', { name: 'Call graph' });
    await page.locator('.call-graph-node').first().waitFor();
    const svg = page.locator('.call-graph-svg');
    const area = (): Promise<string | null> => svg.getAttribute('viewBox');
    const whole = await area();
    await graph.focus();
    await page.keyboard.press('ArrowDown');
    const heard = page.locator('.call-graph [aria-live=polite]');
    await page.waitForFunction(() => document.querySelector('.call-graph [aria-live=polite]')?.textContent !== '');
    const first = await heard.textContent();
    assert.match(first ?? '', /: flat .+, cum .+ \(\d.*%\), \d+ callers, \d+ callees$/);
    await page.keyboard.press('+');
    assert.notEqual(await area(), whole);
    const box = (await graph.boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + box.height - 20);
    const zoomed = await area();
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + box.height - 60, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await area(), zoomed, 'panned');
    await graph.focus();
    await page.keyboard.press('0');
    assert.equal(await area(), whole);
    await page.locator('.call-graph-node').nth(2).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Peek at its calls' }).click();
    await page.locator('.peek-own').waitFor();
    const own = await page.locator('.peek-own strong').getAttribute('title');
    await page.locator('.peek-name').first().click();
    await page.waitForFunction(name => document.querySelector('.peek-own strong')?.getAttribute('title') !== name, own);
    assert.deepEqual(problems, []);
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
    await page.locator('.labels > summary').click();
    await page.getByRole('button', { name: /^chan send/ }).click();
    await page.waitForURL(/l=state/);
    const tree = page.getByRole('treegrid', { name: 'Call tree' });
    await tree.getByRole('row', { name: /leakSend/ }).waitFor();
    assert.equal(await tree.getByRole('row', { name: /leakRecv/ }).count(), 0);
    await page.getByRole('button', { name: 'state as root' }).click();
    await tree.getByRole('row', { name: /state=chan send/ }).waitFor();
  });

  it('lists labels with what each value covers, and filters by one', async t => {
    const opened = await openUi(t, { answers, path: '/p/dump?table=labels' });
    const { page } = opened;
    const table = page.getByRole('grid', { name: 'Labels' });
    const row = table.getByRole('row', { name: /state.*chan send/ });
    assert.match((await row.textContent()) ?? '', /^\d+\d+ %state.*chan send$/);
    await row.click();
    await page.getByRole('button', { name: 'Only state=chan send' }).click();
    await page.waitForURL(/l=state/);
    await page.getByRole('button', { name: 'Only state=chan send', pressed: true }).waitFor();
    await table.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Only state=chan send', pressed: false }).waitFor();
    await page.getByRole('button', { name: 'state as root' }).last().click();
    await page.waitForURL(/root=state/);
    await assertSoundInEveryLook(opened);
  });

  it('keeps what is typed while an earlier text takes effect', async t => {
    const { page } = await openUi(t, { answers, path: '/p/dump', isFresh: true });
    await page.locator('h1.answer').waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const field = page.getByRole('searchbox', { name: /Find functions/ });
    await field.press('l');
    await page.clock.runFor(150);
    await field.press('e');
    await page.clock.runFor(100);
    assert.equal(await field.inputValue(), 'le');
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

  it('says why a profile cannot be opened', async t => {
    const gone = new Failure(404, { error: 'No such profile; it may have been pruned.', hint: '' });
    const { page } = await openUi(t, { answers: { '/profiles/x': gone }, path: '/p/x' });
    await page
      .getByRole('heading', { name: 'Cannot open this profile: No such profile; it may have been pruned.' })
      .waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Open files' }).click();
    await page.waitForURL('**/p/upload');
    await page.goto(page.url().replace('upload', 'local-9'));
    await page.getByRole('heading', { name: /dropped in another tab or before a reload; drop it again/ }).waitFor();
  });
});
