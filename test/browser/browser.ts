/**
 * Pages of the UI in a real browser. Tests are skipped without one:
 *
 *     it('shows the worst first', { skip: NO_BROWSER }, async t => {
 *       const { page, ui } = await openUi(t, { answers: { '/fleet': fleet }, path: '/' });
 *       assert.deepEqual(await violations(page), []);
 *     });
 */
import type axe from 'axe-core';
import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { HAS_CHROMIUM, launchChromium } from '../chromium.ts';
import { QUICK_AXE } from './quick-axe.ts';
import { startUi, type Answers, type Ui } from './ui-server.ts';

/** For `skip`: the reason, or false if there is a browser. */
export const NO_BROWSER: string | false = HAS_CHROMIUM ? false : 'needs Chromium: set CHROMIUM to its path';

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly timezone?: string;
  /** A page of its own, for a test that changes it for good: its clock, its permissions. */
  readonly isFresh?: boolean;
}

export interface OpenOptions extends Look {
  readonly answers: Answers;
  readonly path: string;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors in the page so far: exceptions, console errors, policy violations. */
  readonly problems: readonly string[];
}

export interface OpenUi extends OpenPage {
  readonly ui: Ui;
}

/** One for all files of a process, as in the runner of `npm test`; otherwise one per file. */
let browser: Promise<Browser> | undefined;
const close = async (): Promise<void> => (await browser)?.close();
const { afterTestFiles } = globalThis as { afterTestFiles?: (() => Promise<void>)[] };
if (afterTestFiles === undefined) after(close);
else afterTestFiles.push(close);

function launched(): Promise<Browser> {
  browser ??= launchChromium();
  return browser;
}

/** A page with its own answers; both are closed when the test ends. */
export async function openUi(t: Pick<TestContext, 'after'>, options: OpenOptions): Promise<OpenUi> {
  const ui = await startUi(options.answers);
  t.after(() => ui.close());
  return { ui, ...(await openPage(t, ui.url + options.path, options)) };
}

/** Idle pages, by time zone: opening one takes three times as long as navigating to another address. */
const idlePages = new Map<string, Page[]>();

async function takePage({ timezone = 'UTC', isFresh = false }: Look): Promise<Page> {
  const idle = isFresh ? undefined : idlePages.get(timezone)?.pop();
  if (idle !== undefined) return idle;
  const context = await (await launched()).newContext({ timezoneId: timezone, locale: 'en-GB' });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return page;
}

/** Nothing that a page stores is visible to the next test. */
async function giveBack(page: Page, { timezone = 'UTC', isFresh = false }: Look): Promise<void> {
  if (isFresh || page.isClosed()) return page.context().close();
  page.removeAllListeners();
  await page.unrouteAll();
  // A page that a test wrote itself has no storage.
  if (page.url().startsWith('http')) await page.evaluate(() => localStorage.clear());
  await page.mouse.move(0, 0);
  await page.goto('about:blank');
  await page.context().clearCookies();
  idlePages.set(timezone, [...(idlePages.get(timezone) ?? []), page]);
}

/** A page of any server, for as long as the test runs. */
export async function openPage(t: Pick<TestContext, 'after'>, url: string, look: Look = {}): Promise<OpenPage> {
  const page = await takePage(look);
  t.after(() => giveBack(page, look));
  await page.setViewportSize({ width: look.width ?? 1280, height: look.height ?? 800 });
  await page.emulateMedia({ colorScheme: look.theme ?? 'light', reducedMotion: 'reduce' });
  const problems: string[] = [];
  page.on('pageerror', error => problems.push(String(error)));
  page.on('console', message => {
    // The page shows answers other than 200; the browser logs them as well.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text());
    }
  });
  await page.goto(url);
  return { page, problems };
}

/**
 * Both themes, at desktop and phone width, on one page: loading it again for each look takes longer than the checks.
 * `prepare` unfolds what a new width has folded.
 */
export async function assertSoundInEveryLook(opened: OpenPage, prepare = async (): Promise<void> => {}): Promise<void> {
  const { page } = opened;
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await settled(page);
    await prepare();
    await assertSoundInBothThemes(opened);
  }
}

/** At the present width. The themes differ only in colours. */
export async function assertSoundInBothThemes(opened: OpenPage): Promise<void> {
  await assertSound(opened);
  await opened.page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await violations(opened.page), [], 'dark');
  await opened.page.emulateMedia({ colorScheme: 'light' });
}

/** As the desktop does it: the browser itself makes the entries of files and folders. */
export async function dragFiles(page: Page, onto: string, ...files: readonly string[]): Promise<void> {
  const box = await page.locator(onto).first().boundingBox();
  assert.ok(box !== null);
  const session = await page.context().newCDPSession(page);
  const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, ...place, data });
  }
  await session.detach();
}

/** Opens every disclosure of the page. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('main details')) (details as HTMLDetailsElement).open = true;
  });
}

/** Charts follow the width of the page a frame later. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))));
}

/** The narrowest phone; a screen of 1440 px at 200 % zoom. */
const NARROWER = [320, 720];

/** No violation, no console error, nothing wider than the screen, nor than a narrower one. */
export async function assertSound({ page, problems }: OpenPage): Promise<void> {
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(problems, []);
  await assertFits(page);
  const size = page.viewportSize();
  const width = NARROWER.findLast(narrow => narrow < (size?.width ?? 0));
  if (size === null || width === undefined) return;
  await page.setViewportSize({ width, height: size.height });
  await settled(page);
  await assertFits(page);
  await page.setViewportSize(size);
}

/** Charts and tables follow a new width some frames later, however long a frame takes. */
const FRAMES_TO_FIT = 60;

async function assertFits(page: Page): Promise<void> {
  const overflow = await page.evaluate(async frames => {
    for (let i = 0; i < frames && document.documentElement.scrollWidth > innerWidth; i++) {
      await new Promise(requestAnimationFrame);
    }
    return document.documentElement.scrollWidth - innerWidth;
  }, FRAMES_TO_FIT);
  assert.ok(overflow <= 0, `${overflow} px wider than the screen of ${page.viewportSize()?.width} px`);
  assert.deepEqual(await crossedBreadcrumbs(page), [], `at ${page.viewportSize()?.width} px`);
}

/** Links above the page that lie on one another. */
function crossedBreadcrumbs(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const links = [...document.querySelectorAll('.breadcrumbs a')].map(link => ({
      text: link.textContent ?? '',
      box: link.getBoundingClientRect(),
    }));
    return links.flatMap(({ text, box: a }, i) =>
      links
        .slice(i + 1)
        .filter(({ box: b }) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        .map(other => `${text} on ${other.text}`),
    );
  });
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What a theme decides. The dark pages are the light ones in other colours, so only these rules can differ. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Violations of WCAG 2.2 A and AA that axe finds, one line each; in the dark theme those of its colours. */
export async function violations(page: Page): Promise<string[]> {
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(QUICK_AXE);
  const options: axe.RunOptions = {
    runOnly: isDark ? { type: 'rule', values: COLOUR_RULES } : { type: 'tag', values: WCAG },
    // Leaves out the passed checks, which are far more and of no use here.
    resultTypes: ['violations'],
    // No rule here needs style sheets or media read beforehand, and there are no frames.
    preload: false,
    iframes: false,
  };
  return page.evaluate(async chosen => {
    const { violations: found } = await (window as unknown as { axe: typeof axe }).axe.run(document, chosen);
    return found.flatMap(({ id, help, nodes }) => nodes.map(node => `${id}: ${help}: ${node.target.join(' ')}`));
  }, options);
}
