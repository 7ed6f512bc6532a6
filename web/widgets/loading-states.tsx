/** What stands in place of an answer, or above it when it is not the newest. */
import type { ComponentChildren } from 'preact';
import { visible } from '../../src/base/visible-text.ts';
import type { ApiError } from '../state/api.ts';
import type { Resource } from '../state/use-api.ts';

/** Grey bars where the answer will be. */
export function Skeleton({ rows }: { readonly rows: number }) {
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

/** A sentence and a next step. */
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

export function ErrorNotice({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  return (
    <Notice kind="error" title={error.message}>
      {error.hint !== '' && <p>{visible(error.hint)}</p>}
      <p class="notice-steps">
        <button type="button" onClick={retry}>
          Try again
        </button>
        <a href="/">To the fleet</a>
      </p>
    </Notice>
  );
}

/** The states of a page that rests on one answer: nothing yet, late, failed; else what `children` draw of it. */
export function Answered<T>(props: {
  readonly resource: Resource<T>;
  readonly skeletonRows?: number;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, slow, refresh } = props.resource;
  if (data === undefined) {
    if (error !== undefined) return <ErrorNotice error={error} retry={refresh} />;
    return slow ? <Skeleton rows={props.skeletonRows ?? 6} /> : null;
  }
  return (
    <>
      {error !== undefined && error.status !== 0 && (
        <p class="strip strip-watchful" role="status">
          Not the newest: {visible(error.message)}{' '}
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </p>
      )}
      {props.children(data)}
    </>
  );
}
