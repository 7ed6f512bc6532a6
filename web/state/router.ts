/**
 * The address bar holds the whole state of a page: every view is a link.
 *
 *     navigate('/t/node/worker-17?hours=24')     adds an entry to the history
 *     setQuery({ hours: '24', at: null })        changes the view of the same page: no new entry
 *
 * A page that is a single file cannot change its path, so there the address is behind the #:
 *
 *     https://oakum.example/t/node/worker-17?hours=24
 *     file:///home/me/oakum.html#/compare?a=local-1&b=local-2
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** Where the addresses of a single file begin; nothing is ever loaded from it. */
const FILE_ORIGIN = 'http://oakum.invalid';

const isBehindHash = signal(false);
const href = signal(typeof location === 'undefined' ? 'http://localhost/' : location.href);

/** Call first, in a page that is a single file. `start` is the address if there is none behind the #. */
export function keepAddressBehindHash(start: string): void {
  isBehindHash.value = true;
  if (!location.hash.startsWith('#/')) history.replaceState(history.state, '', `#${start}`);
  href.value = hrefNow();
}

function hrefNow(): string {
  return isBehindHash.peek() ? FILE_ORIGIN + location.hash.slice(1) : location.href;
}

/** What the history is to show for an address. */
function shown({ href: whole, pathname, search }: URL): string {
  return isBehindHash.peek() ? `#${pathname}${search}` : whole;
}

export const currentUrl: ReadonlySignal<URL> = computed(() => new URL(href.value));
export const path: ReadonlySignal<string> = computed(() => currentUrl.value.pathname);
export const query: ReadonlySignal<URLSearchParams> = computed(() => currentUrl.value.searchParams);

export function navigate(url: string, options: { readonly replace?: boolean } = {}): void {
  const next = new URL(url, currentUrl.peek());
  if (next.origin !== currentUrl.peek().origin) {
    location.assign(next);
    return;
  }
  if (next.href === href.peek()) return;
  if (options.replace === true) history.replaceState(history.state, '', shown(next));
  else {
    history.replaceState({ scrollY }, '');
    history.pushState(null, '', shown(next));
  }
  const samePage = next.pathname === currentUrl.peek().pathname;
  restoring.value = undefined;
  href.value = next.href;
  if (!samePage) scrollTo(0, 0);
}

/** Changes some parameters of the query; null removes one. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URL(currentUrl.peek());
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  next.search = readableQuery(next.searchParams);
  navigate(next.href, { replace: true });
}

/** The query of a link, with the characters that need no escape left readable: `?q=node/a:b`. */
export function readableQuery(params: URLSearchParams): string {
  return params.toString().replace(/%2F/g, '/').replace(/%3A/g, ':').replace(/%2C/g, ',');
}

/** Follows links within the UI without a page load. */
export function followLinks(root: Document): () => void {
  const onClick = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    // Not link.href: in a file that would be a path of the disk.
    const to = link.getAttribute('href') ?? '';
    if (to.startsWith('#') && isBehindHash.peek()) {
      event.preventDefault();
      document.getElementById(to.slice(1))?.focus();
      return;
    }
    const url = new URL(to, currentUrl.peek());
    if (url.origin !== currentUrl.peek().origin || url.pathname.startsWith('/api/') || isFragment(url)) return;
    event.preventDefault();
    navigate(url.href);
  };
  const onPopState = (event: PopStateEvent): void => {
    href.value = hrefNow();
    restoreScroll(event.state);
  };
  // The browser restores it before the page has its data, when there is nothing to scroll.
  history.scrollRestoration = 'manual';
  root.addEventListener('click', onClick);
  addEventListener('popstate', onPopState);
  return () => {
    root.removeEventListener('click', onClick);
    removeEventListener('popstate', onPopState);
  };
}

const RESTORE_MS = 3000;
/** The address whose scroll position is being restored. */
const restoring = signal<string | undefined>(undefined);

/** On the way back to an address: where the page was scrolled to is set, now or soon. */
export function isRestoringScroll(): boolean {
  return restoring.peek() === href.peek();
}

/** Waits until the page is long enough again. */
function restoreScroll(state: unknown): void {
  const top = (state as { readonly scrollY?: number } | null)?.scrollY ?? 0;
  const until = performance.now() + RESTORE_MS;
  const restored = href.peek();
  restoring.value = restored;
  const step = (): void => {
    if (href.peek() !== restored) return;
    scrollTo(0, top);
    if (Math.abs(scrollY - top) > 1 && performance.now() < until) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function isFragment(url: URL): boolean {
  const { pathname, search } = currentUrl.peek();
  return url.hash !== '' && url.pathname === pathname && url.search === search;
}

/**
 * The parameters of a path that matches a pattern; undefined if it does not. The last one may take the rest:
 *
 *     matchPath('/p/:id', '/p/ab12')                    { id: 'ab12' }
 *     matchPath('/t/:target+', '/t/node/worker-17')     { target: 'node/worker-17' }
 */
export function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = pathname.replace(/(?<=.)\/$/, '').split('/');
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const takesRest = part.endsWith('+');
    const value = takesRest ? given.slice(i).join('/') : given[i];
    if (value === undefined) return undefined;
    if (!part.startsWith(':')) {
      if (part !== value) return undefined;
      continue;
    }
    if (value === '') return undefined;
    params[part.slice(1).replace('+', '')] = decoded(value);
    if (takesRest) return params;
  }
  return wanted.length === given.length ? params : undefined;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** `/t/node/worker-17`: a target's page, its slashes kept. */
export function targetUrl(target: string): string {
  return `/t/${target.split('/').map(encodeURIComponent).join('/')}`;
}

/** What every page gets from the address. */
export interface PageProps {
  /** From the path: `target` of `/t/node/worker-17` is `node/worker-17`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}
