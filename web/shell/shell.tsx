/** The frame around every page: top bar, breadcrumbs, banners and the page itself. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { DroppedFiles } from '../profiles/dropped-files.tsx';
import { frame, home, isAtHome } from '../state/frame.ts';
import { type KeyBindings, useKeys } from '../state/keys.ts';
import { navigate, path, query } from '../state/router.ts';
import { stepRange, withRange } from '../state/time-range.ts';
import type { PageProps } from '../pages/page-props.ts';
import { Notice } from '../widgets/loading-states.tsx';
import { KeyHelp, openKeyHelp } from './key-help.tsx';
import { pageBreadcrumbs, type Breadcrumb } from '../state/breadcrumbs.ts';
import { RangeDialog } from './range-dialog.tsx';
import { findRoute, type Page } from './routes.ts';
import { focusSearch, TopBar } from './top-bar.tsx';
import { Banners } from './banners.tsx';

export function Shell() {
  const isViewer = frame.value === 'files';
  useKeys('Everywhere', {
    ...(isViewer ? {} : FLEET_KEYS),
    'g c': ['go to the catalogue', () => navigate('/catalogue')],
    'g o': ['open files', () => navigate('/p/upload')],
    Escape: ['back', goBack],
    '?': ['show these shortcuts', openKeyHelp],
  });
  const matched = findRoute(path.value);
  const ofPage = pageBreadcrumbs.value ?? matched?.route.breadcrumbs(matched.params) ?? [];
  // The page of the given files is the home of a viewer, not a step below it.
  const breadcrumbs: readonly Breadcrumb[] = [home.value, ...(isViewer && isAtHome.value ? [] : ofPage)];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = `${visible(breadcrumbs.at(-1)?.text ?? '')} · Oakum`;
  }, [breadcrumbs.at(-1)?.text]);

  useEffect(() => {
    // Screen readers announce the new page when it gets the focus; the browser announces the first one.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path.value]);

  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <TopBar />
      <nav class="breadcrumbs" aria-label="Breadcrumb">
        <ol>
          {breadcrumbs.map(({ text, url }, i) => (
            <li key={url}>
              <a href={url} aria-current={i === breadcrumbs.length - 1 ? 'page' : undefined}>
                {visible(text)}
              </a>
            </li>
          ))}
        </ol>
        <ul class="breadcrumbs-aside">
          {!isViewer && (
            <li>
              <a href="/i">Incidents</a>
            </li>
          )}
          <li>
            <a href="/catalogue">Catalogue</a>
          </li>
          <li>
            <a href="/p/upload" aria-label="Open files">
              Open
            </a>
          </li>
        </ul>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <Banners />
        <DroppedFiles />
        {matched === undefined ? (
          <Notice title="Page not found.">
            <p>
              The link may be from another version of Oakum.{' '}
              <a href={home.value.url}>{isViewer ? 'Go to the profile' : 'Go to the fleet'}</a>
            </p>
          </Notice>
        ) : (
          <LazyPage key={path.value} load={matched.route.load} params={matched.params} query={query.value} />
        )}
      </main>
      <KeyHelp />
      <RangeDialog />
    </>
  );
}

const FLEET_KEYS: KeyBindings = {
  '/': ['search', focusSearch],
  'g f': ['go to the fleet', () => navigate(withRange('/'))],
  'g i': ['go to the incidents', () => navigate('/i')],
  '[': ['shorter time range', () => stepRange(-1)],
  ']': ['longer time range', () => stepRange(1)],
};

function goBack(): void {
  const field = document.activeElement;
  const isField = ['INPUT', 'SELECT', 'TEXTAREA'].includes(field?.tagName ?? '');
  if (isField && field instanceof HTMLElement) field.blur();
  else if (!isAtHome.value) history.back();
}

function LazyPage({ load, ...props }: PageProps & { readonly load: () => Page | Promise<Page> }) {
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
            Reload
          </button>
          The server may be running another version now.
        </p>
      </Notice>
    );
  }
  return page === undefined ? null : <page.Page {...props} />;
}
