/** A profile by what it is instead of by its digest: `node/worker-17 heap at 19:57, slope: the verdict is watch`. */
import { visible } from '../../src/base/visible-text.ts';
import type { FileOrigin } from '../../src/watch/watch-model.ts';
import { api } from '../state/api.ts';
import type { Breadcrumb } from '../state/frame.ts';
import { targetUrl } from '../state/router.ts';
import { useAsync } from '../state/use-api.ts';
import { captureName } from '../widgets/short-names.ts';
import { Timestamp } from '../widgets/timestamp.tsx';

export function OriginTarget({ origin }: { readonly origin: FileOrigin }) {
  const { target } = origin.capture;
  return <a href={targetUrl(target)}>{visible(target)}</a>;
}

/** Its kind and the time of the collection; the reason is on hover, and for screen readers. */
export function OriginName({ origin, url }: { readonly origin: FileOrigin; readonly url?: string }) {
  const { kind, at, capture } = origin;
  const name = (
    <>
      {captureName(kind)} at <Timestamp at={at} />
    </>
  );
  return (
    <span title={visible(capture.reason)}>
      {url === undefined ? name : <a href={url}>{name}</a>} <span class="muted">({visible(capture.trigger)})</span>
    </span>
  );
}

/**
 * Where a profile of the server comes from: its target, capture and incident. Undefined for a file that was dropped
 * into this tab, and for one that no capture has any more.
 */
export function useOrigin(profileKey: string): FileOrigin | undefined {
  const isStored = /^[0-9a-f]{64}$/.test(profileKey);
  const { value } = useAsync(
    () => (isStored ? api<FileOrigin>(`/profiles/${profileKey}/origin`).catch(() => undefined) : undefined),
    [profileKey],
  );
  return value;
}

/** `node/worker-17 / live heap incident / heap 19:57` */
export function originBreadcrumbs(origin: FileOrigin | undefined, last: Breadcrumb): readonly Breadcrumb[] | undefined {
  if (origin === undefined) return undefined;
  const { capture, incident } = origin;
  return [
    { text: capture.target, url: targetUrl(capture.target) },
    ...(incident === null
      ? []
      : [{ text: `${incident.resource} incident`, url: `/i/${encodeURIComponent(incident.id)}` }]),
    last,
  ];
}
