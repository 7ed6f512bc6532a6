/** What a page shows while data is loading, when loading failed, or when the data is out of date. */
import type { ComponentChildren } from 'preact';
import { visible } from '../../src/base/visible-text.ts';
import type { ApiError } from '../state/api.ts';
import type { ApiData } from '../state/use-api.ts';

/** Grey bars where the data will be. */
function Skeleton({ rows }: { readonly rows: number }) {
  return (
    <div class="skeleton" role="status">
      <h1 class="sr-only">Loading</h1>
      <div class="skeleton-answer" />
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="skeleton-row" />
      ))}
    </div>
  );
}

/** A message in place of a page, with the next steps below. */
export function Notice(props: {
  readonly title: string;
  readonly kind?: 'error' | 'calm';
  readonly children?: ComponentChildren;
}) {
  return (
    <section class={`notice notice-${props.kind ?? 'calm'}`} role={props.kind === 'error' ? 'alert' : undefined}>
      <h1>{visible(props.title)}</h1>
      {props.children}
    </section>
  );
}

function ErrorNotice({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  return (
    <Notice kind="error" title={error.message}>
      {error.hint !== '' && <p>{visible(error.hint)}</p>}
      <p class="notice-steps">
        <button type="button" onClick={retry}>
          Try again
        </button>
        <a href="/">Go to the fleet</a>
      </p>
    </Notice>
  );
}

/** Renders `children` once the data is there; a skeleton if it is late, an error if it failed. */
export function WhenLoaded<T>(props: {
  readonly api: ApiData<T>;
  readonly skeletonRows?: number;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, slow, refresh } = props.api;
  if (data === undefined) {
    if (error !== undefined) return <ErrorNotice error={error} retry={refresh} />;
    return slow ? <Skeleton rows={props.skeletonRows ?? 6} /> : null;
  }
  return (
    <>
      {error !== undefined && error.status !== 0 && (
        <p class="banner" role="status">
          This may be out of date: {visible(error.message)}{' '}
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </p>
      )}
      {props.children(data)}
    </>
  );
}

/** Appears after a short delay: most files are read by then. */
export function Reading() {
  return (
    <p class="delayed muted" role="status">
      Reading …
    </p>
  );
}

export function NotOpened({ error }: { readonly error: Error }) {
  return (
    <Notice kind="error" title={`Cannot open this profile: ${error.message}`}>
      <p class="notice-steps">
        <a href="/p/upload">Open files</a>
        <a href="/">Go to the fleet</a>
      </p>
    </Notice>
  );
}
