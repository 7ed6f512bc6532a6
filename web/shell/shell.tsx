/** What every page stands in: the bar, the trail, what is to be said of the whole, and the page itself. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../state/keys.ts';
import { navigate, path, query } from '../state/router.ts';
import { stepRange, withRange } from '../state/time-range.ts';
import { Notice } from '../widgets/loading-states.tsx';
import { KeyHelp, openHelp } from './key-help.tsx';
import { findPage, type Crumb, type Page } from './routes.ts';
import { focusSearch, TopBar } from './top-bar.tsx';
import { Strips } from './banners.tsx';

export function Shell() {
  useKeys('Everywhere', {
    '/': ['search', focusSearch],
    'g f': ['to the fleet', () => navigate(withRange('/'))],
    'g i': ['to the incidents', () => navigate('/i')],
    'g c': ['to the catalogue', () => navigate('/catalogue')],
    '[': ['shorter time range', () => stepRange(-1)],
    ']': ['longer time range', () => stepRange(1)],
    Escape: ['back', goBack],
    '?': ['these keys', openHelp],
  });
  const found = findPage(path.value);
  const trail: readonly Crumb[] = [{ text: 'Fleet', url: withRange('/') }, ...(found?.entry.trail(found.params) ?? [])];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = `${trail[trail.length - 1].text} · Oakum`;
    // Who listens to the page hears that it is another one; the first was announced by the browser.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path.value]);

  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <TopBar />
      <nav class="trail" aria-label="Trail">
        <ol>
          {trail.map(({ text, url }, i) => (
            <li key={url}>
              <a href={url} aria-current={i === trail.length - 1 ? 'page' : undefined}>
                {text}
              </a>
            </li>
          ))}
        </ol>
        <ul class="trail-aside">
          <li>
            <a href="/i">Incidents</a>
          </li>
          <li>
            <a href="/catalogue">Catalogue</a>
          </li>
          <li>
            <a href="/p/upload" aria-label="Open a file">
              Open
            </a>
          </li>
        </ul>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <Strips />
        {found === undefined ? (
          <Notice title="There is no such page.">
            <p>
              The link may be of another version. <a href="/">To the fleet</a>
            </p>
          </Notice>
        ) : (
          <Opened key={path.value} load={found.entry.load} params={found.params} query={query.value} />
        )}
      </main>
      <KeyHelp />
    </>
  );
}

function goBack(): void {
  const field = document.activeElement;
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.blur();
  else if (path.value !== '/') history.back();
}

interface OpenedProps {
  readonly load: () => Page | Promise<Page>;
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
}

function Opened({ load, ...props }: OpenedProps) {
  const [page, setPage] = useState<{ readonly Page: Page } | undefined>(() => {
    const loaded = load();
    return loaded instanceof Promise ? undefined : { Page: loaded };
  });
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (page !== undefined) return;
    Promise.resolve(load()).then(
      Page => setPage({ Page }),
      () => setFailed(true),
    );
  }, []);
  if (failed) {
    return (
      <Notice kind="error" title="This part of the UI could not be loaded.">
        <p class="notice-steps">
          <button type="button" onClick={() => location.reload()}>
            Load again
          </button>
          The server may have been replaced by another version.
        </p>
      </Notice>
    );
  }
  return page === undefined ? null : <page.Page {...props} />;
}
