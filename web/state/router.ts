/**
 * The address bar holds the whole state of a page: every view is a link.
 *
 *     navigate('/t/node/worker-17?hours=24')     adds an entry to the history
 *     setQuery({ hours: '24', at: null })        changes the view of the same page: no new entry
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';

const href = signal(typeof location === 'undefined' ? 'http://localhost/' : location.href);

export const currentUrl: ReadonlySignal<URL> = computed(() => new URL(href.value));
export const path: ReadonlySignal<string> = computed(() => currentUrl.value.pathname);
export const query: ReadonlySignal<URLSearchParams> = computed(() => currentUrl.value.searchParams);

export function navigate(url: string, options: { readonly replace?: boolean } = {}): void {
  const next = new URL(url, currentUrl.peek());
  if (next.origin !== location.origin) {
    location.assign(next);
    return;
  }
  if (next.href === href.peek()) return;
  if (options.replace === true) history.replaceState(history.state, '', next);
  else {
    history.replaceState({ scrollY }, '');
    history.pushState(null, '', next);
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
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || url.pathname.startsWith('/api/') || isFragment(url)) return;
    event.preventDefault();
    navigate(url.href);
  };
  const onPopState = (event: PopStateEvent): void => {
    href.value = location.href;
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
  return restoring.peek() === location.href;
}

/** Waits until the page is long enough again. */
function restoreScroll(state: unknown): void {
  const top = (state as { readonly scrollY?: number } | null)?.scrollY ?? 0;
  const until = performance.now() + RESTORE_MS;
  const { href: restored } = location;
  restoring.value = restored;
  const step = (): void => {
    if (location.href !== restored) return;
    scrollTo(0, top);
    if (Math.abs(scrollY - top) > 1 && performance.now() < until) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function isFragment(url: URL): boolean {
  return url.hash !== '' && url.pathname === location.pathname && url.search === location.search;
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
