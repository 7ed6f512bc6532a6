import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, openUi, violations } from './browser.ts';
import { until } from '../until.ts';
import { madeProfiles } from './made-profiles.ts';

const LONG_NAME = `k8s.io/kubernetes/pkg/${'kubelet/'.repeat(12)}volumemanager.(*volumeManager).WaitForAttachAndMount`;
const answers = {
  ...madeProfiles(),
  '/profiles/long': new TextEncoder().encode(`main.main;${LONG_NAME} 3\nmain.main;main.poll 1\n`),
};

interface Painted {
  readonly colours: number;
  readonly orange: number;
  readonly blue: number;
}

/** The graph is in the page a frame before it is drawn. */
async function untilPainted(page: Page, wanted: (seen: Painted) => boolean): Promise<void> {
  await until(async () => wanted(await painted(page)));
}

/** The coloured pixels of the drawing, and how many colours there are. */
async function painted(page: Page): Promise<Painted> {
  return page.locator('.flame-canvas').evaluate(element => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set<number>();
    let orange = 0;
    let blue = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
      colours.add((r << 16) | (g << 8) | b);
      if (r - b > 60) orange++;
      if (b - r > 60) blue++;
    }
    return { colours: colours.size, orange, blue };
  });
}

const param = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

/** The address is updated after a short delay. */
async function untilParam(page: Page, name: string, wanted: (value: string | null) => boolean): Promise<string | null> {
  await page.waitForURL(url => wanted(url.searchParams.get(name)));
  return param(page, name);
}

async function openGraph(t: Parameters<typeof openUi>[0], path: string, width = 1280, isFresh = false) {
  const opened = await openUi(t, { answers, path, width, isFresh });
  const graph = opened.page.getByRole('application', { name: 'Flame graph' });
  await graph.waitFor();
  return { ...opened, graph };
}

describe('flame graph', { skip: NO_BROWSER }, () => {
  it('is painted in the colours of its packages', async t => {
    const { page, problems } = await openGraph(t, '/p/heap');
    await untilPainted(page, ({ colours }) => colours > 4);
    assert.deepEqual(problems, []);
  });

  it('is navigated, zoomed and left by keyboard, and its description follows', async t => {
    const { page, graph } = await openGraph(t, '/p/heap');
    await graph.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await untilParam(page, 'node', value => value === '2'), '2');
    const name = await page.locator('.frame-name').textContent();
    assert.ok(name !== null && name !== 'all');
    const heard = page.locator('.flame [aria-live=polite]');
    assert.match((await heard.textContent()) ?? '', /: total .+ \(\d.*%\), self .+; row 3$/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await untilParam(page, 'zoom', value => value !== null);
    await page.keyboard.press('Escape');
    await untilParam(page, 'zoom', value => value === null);
    assert.equal(new URL(page.url()).pathname, '/p/heap', 'Escape did not leave the page');
  });

  it('is zoomed by a click and by the wheel, left by a double click, panned by a drag', async t => {
    const { page, graph } = await openGraph(t, '/p/heap');
    const box = (await graph.boundingBox())!;
    const second = { x: box.x + 40, y: box.y + 27 };
    await page.mouse.click(second.x, second.y);
    await untilParam(page, 'node', value => value === '1');
    const zoomed = (await untilParam(page, 'zoom', value => value !== null))!;
    assert.match(zoomed, /^0~0\./);
    await page.mouse.move(second.x + 200, second.y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    const closer = (await untilParam(page, 'zoom', value => value !== zoomed))!;
    const span = (text: string): number => text.split('~').reduce((a, b) => Number(b) - Number(a), 0) as number;
    assert.ok(span(closer) < span(zoomed));
    await page.mouse.down();
    await page.mouse.move(second.x + 100, second.y, { steps: 5 });
    await page.mouse.up();
    const panned = (await untilParam(page, 'zoom', value => value !== closer))!;
    assert.ok(Math.abs(span(panned) - span(closer)) < 1e-6);
    assert.ok(Number(panned.split('~')[0]) > Number(closer.split('~')[0]), 'dragged to the left');
    await page.mouse.dblclick(second.x, second.y);
    await untilParam(page, 'zoom', value => value === null);
  });

  it('goes back zoom by zoom', async t => {
    const { page, graph } = await openGraph(t, '/p/heap');
    await graph.focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    const outer = (await untilParam(page, 'zoom', value => value !== null))!;
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'End', 'Enter']) await page.keyboard.press(key);
    await untilParam(page, 'zoom', value => value !== outer);
    await page.keyboard.press('Escape');
    await untilParam(page, 'zoom', value => value === outer);
    await page.keyboard.press('Escape');
    await untilParam(page, 'zoom', value => value === null);
  });

  it('has a tooltip at the cursor with function, place, total, self and share', async t => {
    const { page, graph } = await openGraph(t, '/p/heap');
    const box = (await graph.boundingBox())!;
    await page.mouse.move(box.x + 40, box.y + 27);
    const tooltip = page.locator('.frame-tooltip');
    await tooltip.waitFor();
    assert.match(
      (await tooltip.textContent()) ?? '',
      /^\S+\/?\S*\.go:\d+(-\d+)?total[\d.]+ [KM]iB \(\d+ %\)self.*Click zooms/,
    );
    const near = (await tooltip.boundingBox())!;
    assert.ok(Math.abs(near.x - box.x - 40) < 30 && Math.abs(near.y - box.y - 27) < 30, JSON.stringify(near));
    await page.mouse.move(box.x + box.width - 8, box.y + 9);
    await page.locator('.frame-tooltip strong', { hasText: /^all$/ }).waitFor();
    const flipped = (await tooltip.boundingBox())!;
    assert.ok(flipped.x + flipped.width <= 1280, 'stays inside the window');
    await page.mouse.move(box.x + 40, box.y - 60);
    await tooltip.waitFor({ state: 'detached' });
  });

  it('has a menu for each frame, by right click and by keyboard', async t => {
    const { page, graph, ui, problems } = await openGraph(t, '/p/heap', 1280, true);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: ui.url });
    const box = (await graph.boundingBox())!;
    await page.mouse.click(box.x + 40, box.y + 27, { button: 'right' });
    const menu = page.getByRole('menu');
    await menu.waitFor();
    assert.equal(await page.locator('.frame-tooltip').count(), 0);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    assert.ok(await graph.evaluate(element => element === document.activeElement), 'the focus is back on the graph');
    assert.equal(param(page, 'zoom'), null, 'Escape closed the menu and nothing else');
    await page.keyboard.press('m');
    await menu.waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await menu.waitFor({ state: 'detached' });
    const name = (await page.locator('.frame-name').textContent()) ?? '';
    // The stack, folded; the browser writes it while the menu closes.
    await until(async () => /^\S+ \d+\n$/.test(await page.evaluate(() => navigator.clipboard.readText())));
    await graph.focus();
    await page.keyboard.press('Shift+F10');
    await menu.getByRole('menuitem', { name: 'Show its callers and callees' }).click();
    await page.getByRole('application', { name: /^Callers of / }).waitFor();
    assert.equal(await page.locator('.frame-name').first().textContent(), name, 'of the same function');
    assert.deepEqual(problems, []);
  });

  it('restores the view from a copied link', async t => {
    const { page } = await openGraph(t, '/p/heap?zoom=0.1~0.4&node=3&flip=1&f=main');
    const details = await page.locator('.frame-name').textContent();
    assert.notEqual(details, 'all');
    assert.equal(await page.getByRole('button', { name: 'Root at the bottom' }).getAttribute('aria-pressed'), 'true');
    assert.equal(await page.getByRole('searchbox', { name: /Find functions/ }).inputValue(), 'main');
    assert.equal(new URL(page.url()).search, '?zoom=0.1~0.4&node=3&flip=1&f=main');
  });

  it('has a table with the same content, and both share one selection', async t => {
    const { page, graph } = await openGraph(t, '/p/heap?table=tree');
    const twin = page.getByRole('treegrid', { name: 'Call tree' });
    const selected = twin.locator('[aria-selected=true]');
    await graph.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await selected.waitFor();
    assert.equal(await selected.getAttribute('aria-level'), '4');
    const full = await page.locator('.frame-name').textContent();
    assert.equal(await selected.locator('.table-name span[title]').getAttribute('title'), full);
    await twin.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await untilParam(page, 'node', value => value === '2');
    assert.notEqual(await page.locator('.frame-name').textContent(), full);
  });

  it('compares in orange and blue, with amounts', async t => {
    const { page } = await openGraph(t, '/compare?a=heap-before&b=heap');
    await untilPainted(page, ({ orange }) => orange > 1000);
    const { page: other } = await openGraph(t, '/compare?a=heap&b=heap-before&width=larger');
    await untilPainted(other, ({ blue }) => blue > 1000);
    assert.match((await other.locator('.legend').textContent()) ?? '', /larger of before and after/);
  });

  it('fits a narrow screen, even if the selected name is long', async t => {
    const { page, graph } = await openGraph(t, '/p/long?node=2', 390);
    await page.locator('.frame-name', { hasText: LONG_NAME }).waitFor();
    const { x, width } = (await graph.boundingBox())!;
    assert.ok(x >= 0 && x + width <= 390, `${x} + ${width}`);
    const canvas = (await page.locator('.flame-canvas').boundingBox())!;
    assert.ok(canvas.width <= width);
  });

  it('follows the theme', async t => {
    const { page } = await openGraph(t, '/p/heap');
    const corner = (): Promise<number> =>
      page.locator('.flame-canvas').evaluate(element => {
        const canvas = element as HTMLCanvasElement;
        return canvas.getContext('2d')!.getImageData(canvas.width - 3, canvas.height - 3, 1, 1).data[0];
      });
    await until(async () => (await corner()) > 200);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await corner()) < 60);
  });
});
