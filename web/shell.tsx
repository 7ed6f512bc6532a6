/** The frame around every page: top bar, breadcrumbs, banners and the page itself. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { visible } from '../src/base/visible-text.ts';
import { DroppedFiles } from './drop-files.tsx';
import { type Breadcrumb, frame, home, isAtHome, pageBreadcrumbs } from './state/frame.ts';
import { type KeyBindings, useKeys } from './state/keys.ts';
import { navigate, type PageProps, path, query, targetUrl } from './state/router.ts';
import { stepRange, withRange } from './state/time-range.ts';
import { Notice } from './widgets/loading-states.tsx';
import { KeyHelp, openKeyHelp } from './key-help.tsx';
import { RangeDialog } from './range-dialog.tsx';
import { findRoute, type Page, type Route } from './routes.ts';
import { focusSearch, TopBar } from './top-bar.tsx';
import type { WatchStatus, StoryEvent } from '../src/watch/watch-model.ts';
import { status } from './state/live.ts';
import { Timestamp } from './widgets/timestamp.tsx';

const WHY = { forbidden: 'Not allowed', failing: 'Not reachable', off: 'Switched off' } as const;

export function Shell({ routes }: { readonly routes: readonly Route[] }) {
  const isViewer = frame.value === 'files';
  useKeys('Everywhere', {
    ...(isViewer ? {} : FLEET_KEYS),
    'g c': ['go to the catalogue', () => navigate('/catalogue')],
    'g o': ['open files', () => navigate('/p/upload')],
    Escape: ['back', goBack],
    '?': ['show these shortcuts', openKeyHelp],
  });
  const matched = findRoute(routes, path.value);
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

/** Lines above every page: problems of the store, missing rights, what the demo has found. */
function Banners() {
  if (status.value === null) return null;
  const { store, missingRights, story, replicas } = status.value;
  return (
    <>
      {store.degraded !== null && (
        <p class="banner" role="status">
          <strong>The store has a problem:</strong> {visible(store.degraded)}
        </p>
      )}
      {replicas?.trouble != null && (
        <p class="banner" role="status">
          <strong>On its own:</strong> {visible(replicas.trouble)}
        </p>
      )}
      {missingRights.length > 0 && <MissingRights rights={missingRights} />}
      {story.length > 0 && <DemoStory story={story} isWhole={path.value === '/'} />}
    </>
  );
}

/** One banner for each reason: a server that is down is not a right that is missing. */
function MissingRights({ rights }: { readonly rights: WatchStatus['missingRights'] }) {
  return (
    <>
      {(['failing', 'forbidden', 'off'] as const).map(why => {
        const ofWhy = rights.filter(right => right.why === why);
        return ofWhy.length === 0 ? null : (
          <details key={why} class="banner banner-rights">
            <summary>
              <strong>{WHY[why]}:</strong> {ofWhy.map(({ what }) => visible(what)).join('; ')}
            </summary>
            <ul>
              {ofWhy.map(({ what, command }) => (
                <li key={what}>
                  {visible(what)}; {why === 'failing' ? 'next: ' : 'to change it: '}
                  <code>{visible(command)}</code>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </>
  );
}

/** What the demo has found so far: the last event, all others one click away, and an invitation at the end. */
interface DemoStoryProps {
  readonly story: readonly StoryEvent[];
  /** With the invitation at the end; on the pages that it leads to, their own answer comes first. */
  readonly isWhole: boolean;
}

function DemoStory({ story, isWhole }: DemoStoryProps) {
  const last = story.at(-1);
  if (last === undefined) return null;
  return (
    <section class="banner banner-story" aria-label="The story so far">
      <p role="status">
        <EventLine event={last} />
      </p>
      {last.kind === 'end' && isWhole && <Invitation incidentId={last.incidentId} />}
      {story.length > 1 && (
        <details>
          <summary>
            {story.length} events<span class="sr-only"> of the story</span>
          </summary>
          <ol class="story-events">
            {story.map((event, i) => (
              <li key={i}>
                <EventLine event={event} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function EventLine({ event: { at, target, incidentId, text } }: { readonly event: StoryEvent }) {
  return (
    <>
      <Timestamp at={at} />{' '}
      {target !== null && (
        <a href={incidentId === null ? targetUrl(target) : `/i/${encodeURIComponent(incidentId)}`}>{visible(target)}</a>
      )}{' '}
      {visible(text)}
    </>
  );
}

function Invitation({ incidentId }: { readonly incidentId: string | null }) {
  return (
    <p class="story-invitation">
      {incidentId !== null && (
        <a class="button button-main" href={`/i/${encodeURIComponent(incidentId)}`}>
          See the proof on one page
        </a>
      )}
      <span>
        Your own cluster: <code>oakum watch --context NAME</code>
      </span>
      <span>
        one node of it, now: <code>oakum triage node/NAME</code>
      </span>
      <span>
        files that you have: <a href="/p/upload">open them</a> or <code>oakum analyze FILE...</code>
      </span>
    </p>
  );
}
